import { OWN_MODEL_HEADS } from '../domain/own-model.ts'
import type { OpenTextClassifier, OwnModel, OwnModels, TextClassifier } from '../ports/text-classifier.ts'
import { builtInId, builtInVersions, findBuiltIn } from './catalogue.ts'
import type { AnyEvaluator } from './kit/define-evaluator.ts'

/** The version of every evaluator by slug; one that asks a user's own model has a version of its own. */
export function evaluatorVersions(own: OwnModels | undefined): Record<string, number> {
  const versions = builtInVersions()
  for (const { head, evaluatorVersion } of own?.models ?? []) {
    versions[OWN_MODEL_HEADS[head].slug] = evaluatorVersion
  }
  return versions
}

/** Like findBuiltIn, with the evaluators that ask users' own models instead of the embedded one. */
export function findWithOwnModels(
  own: OwnModels | undefined,
): (slugOrId: string) => AnyEvaluator | undefined {
  if (!own) return findBuiltIn
  const replaced = new Map<string, AnyEvaluator>()
  for (const model of own.models) {
    const { slug } = OWN_MODEL_HEADS[model.head]
    const evaluator = askingOwnModel(slug, model, openLater(own.moduleUrl, model))
    replaced.set(slug, evaluator).set(builtInId(slug), evaluator)
  }
  return (name) => replaced.get(name) ?? findBuiltIn(name)
}

function askingOwnModel(slug: string, model: OwnModel, classifier: TextClassifier): AnyEvaluator {
  const evaluator = findBuiltIn(slug)
  const evaluateWith = evaluator?.evaluateWith
  if (!evaluator || !evaluateWith) throw new Error(`${slug} cannot ask another model`)
  return {
    ...evaluator,
    version: model.evaluatorVersion,
    evaluate: (call) => evaluateWith({ ...call, classifier }),
  }
}

/** The module is imported by the first call, so that a thread which asks no model never loads what runs it. */
function openLater(moduleUrl: string, model: OwnModel): TextClassifier {
  let opened: TextClassifier | undefined
  return {
    async *read(text) {
      if (!opened) {
        const { openTextClassifier }: { openTextClassifier: OpenTextClassifier } = await import(moduleUrl)
        // Another call may have opened it meanwhile; a model is too large to be there twice.
        opened ??= openTextClassifier(model)
      }
      yield* opened.read(text)
    },
  }
}
