import { EMBEDDED_JUDGE, modelName, parseModelName } from '../domain/judgement.ts'
import type { SetupEntry } from '../domain/setup.ts'
import type { OrgScope } from '../domain/tenant.ts'
import { findBuiltIn, versionOf } from '../evaluators/catalogue.ts'
import { customEvaluatorOf } from '../evaluators/kit/custom-evaluator.ts'
import type { AnyEvaluator } from '../evaluators/kit/define-evaluator.ts'
import type { Storage } from '../ports/storage.ts'

/** The evaluator of an entry as it would be run today. */
export interface EntryEvaluator {
  readonly evaluator: AnyEvaluator
  readonly version: number
  /** Who judges; absent where no judge is asked, or where there is none to ask. */
  readonly judge?: string
}

/** What is needed to find the evaluators of entries. */
export interface EntryEvaluatorDeps {
  readonly storage: Pick<Storage, 'listCustomEvaluators'>
  /** The version of every built-in evaluator that can run, by slug. */
  readonly evaluatorVersions: Readonly<Record<string, number>>
  /** Who judges for an organization: `provider/model`, `embedded`, or nobody. */
  readonly judgeOf: (scope: OrgScope) => Promise<string | undefined>
}

/** Finds the evaluator of an entry; undefined when there is none any more. */
export type FindEntryEvaluator = (entry: SetupEntry) => EntryEvaluator | undefined

/** Looks up what the entries of a setup may need. The store is asked only when one of them is not built in. */
export async function loadEntryEvaluators(
  { storage, evaluatorVersions, judgeOf }: EntryEvaluatorDeps,
  scope: OrgScope,
  entries: readonly SetupEntry[],
): Promise<FindEntryEvaluator> {
  const needsCustom = entries.some(({ evaluatorId }) => !findBuiltIn(evaluatorId))
  const custom = needsCustom ? await storage.listCustomEvaluators(scope) : []
  const judge = await judgeOf(scope)
  return ({ evaluatorId, override }) => {
    const builtIn = findBuiltIn(evaluatorId)
    if (builtIn) {
      const version = evaluatorVersions[builtIn.slug] ?? versionOf(builtIn)
      return { evaluator: builtIn, version, ...judgeFor(builtIn, judge, override.config ?? {}) }
    }
    const own = custom.find((each) => each.evaluatorId === evaluatorId)
    return (
      own && {
        evaluator: customEvaluatorOf(own),
        version: own.version,
        judge: modelName({ provider: own.provider, model: own.modelConfig.model }),
      }
    )
  }
}

/** A model that the config names judges instead of the usual one, but not where there is no provider at all. */
function judgeFor(
  { judging }: AnyEvaluator,
  judge: string | undefined,
  config: Readonly<Record<string, unknown>>,
): { judge?: string } {
  if (!judging || judge === undefined) return {}
  if (judge === EMBEDDED_JUDGE) return judging.embedded ? { judge } : {}
  const chosen = judging.modelOf?.(config)
  return { judge: chosen === undefined ? judge : modelName(parseModelName(chosen)) }
}
