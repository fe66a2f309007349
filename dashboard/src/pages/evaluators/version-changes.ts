import type { EvaluatorDetail } from './evaluator-types.ts'

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** The differences between a version and the one before it, in words. */
export function changesBetween(before: EvaluatorDetail, after: EvaluatorDetail): string[] {
  const { model: oldModel, ...oldSampling } = before.config.llm_config
  const { model: newModel, ...newSampling } = after.config.llm_config
  const oldName = `${before.config.provider}/${oldModel}`
  const newName = `${after.config.provider}/${newModel}`
  return [
    ...(oldName === newName ? [] : [`model ${oldName} → ${newName}`]),
    ...messageChanges(before, after),
    ...fieldChanges('input', before.input_schema, after.input_schema),
    ...fieldChanges('answer', before.output_schema, after.output_schema),
    ...(same(oldSampling, newSampling) ? [] : ['how the model is called']),
  ]
}

function messageChanges(before: EvaluatorDetail, after: EvaluatorDetail): string[] {
  const old = before.config.messages
  const now = after.config.messages
  if (same(old, now)) return []
  if (old.length !== now.length) return [`prompt: ${now.length} messages instead of ${old.length}`]
  const places = now.flatMap((message, at) => (same(message, old[at]) ? [] : [at + 1]))
  return [`prompt: ${places.length === 1 ? 'message' : 'messages'} ${places.join(', ')}`]
}

type Fields = EvaluatorDetail['input_schema']

function fieldChanges(one: string, before: Fields, after: Fields): string[] {
  const old = new Map(before.map((field) => [field.name, field]))
  const names = new Set(after.map(({ name }) => name))
  const added = after.filter(({ name }) => !old.has(name)).map(({ name }) => `${one} ${name} added`)
  const gone = before.filter(({ name }) => !names.has(name)).map(({ name }) => `${one} ${name} removed`)
  const other = after
    .filter((field) => old.has(field.name) && !same(old.get(field.name), field))
    .map(({ name }) => `${one} ${name} changed`)
  const changes = [...added, ...gone, ...other]
  return changes.length === 0 && !same(before, after) ? [`order of the ${one}s`] : changes
}
