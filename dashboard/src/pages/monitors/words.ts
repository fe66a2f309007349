import type { components } from '../../api/schema.gen.ts'
import { formatNumber, formatPercent } from '../../ui/format.ts'

export type SchemaField = components['schemas']['SchemaField']
type Mapped = components['schemas']['MappedInput']

/** The annotation of a person that says which verdict is right has this name; no field of an output has it. */
export const VERDICT_NAME = '$verdict'

/** The outcome of a unit, in one sentence. */
export const STATUS_REASONS: Readonly<Record<string, string>> = {
  scored: 'The evaluator gave its answer.',
  abstained: 'The evaluator could not answer honestly, so there is no score.',
  missing_input: 'The span lacks an input that the evaluator needs.',
  unparseable: 'The judge answered, but not with a verdict that can be read.',
  refused: 'The judge declined to answer.',
  over_budget: 'The budget for judges was spent, so nobody was asked.',
  sampled_out: 'The sampling rate left it out.',
  skipped: 'It is no call of a model, a tool or an agent.',
  cancelled: 'The setup was changed or deleted before its turn came.',
  superseded: 'A newer evaluation of the same unit has taken its place. This one is kept as history.',
  error: 'The evaluator failed.',
}

export const SCOPE_WORDS: Readonly<Record<string, string>> = {
  span: 'Each span',
  trace: 'Each whole trace',
  session: 'Each whole session',
}

export const BUCKET_WORDS: Readonly<Record<components['schemas']['Series']['bucket'], string>> = {
  '1m': '1 minute',
  '5m': '5 minutes',
  '15m': '15 minutes',
  '1h': '1 hour',
  '6h': '6 hours',
  '1d': '1 day',
}

/** A value of an output, as people read it. */
export function valueWords(value: unknown): string {
  if (value === undefined || value === null) return '–'
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') return formatNumber(value)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const FIELD_WORDS: Readonly<Record<string, string>> = {
  prompt: 'the last thing the user said',
  completion: 'the answer',
  system_prompt: 'the system prompt',
  messages: 'the whole conversation',
  input_messages: 'the conversation that was sent',
  output_messages: 'what came back',
  prompts: 'everything the user said',
  completions: 'all answers',
  context: 'the retrieved documents',
  tool_definitions: 'the tools that could be called',
  tool_calls: 'the calls of tools',
  tool_results: 'what the tools gave back',
  logprobs: 'the probabilities of the tokens',
  model: 'the name of the model',
  session_id: 'the id of the session',
}

/** Where an input comes from, in words. */
export function originWords({ field, source, key, json_path: path, regex }: Mapped): string {
  const place =
    field === undefined
      ? `${key ?? ''} of the ${(source ?? 'span').replaceAll('_', ' ')}`
      : (FIELD_WORDS[field] ?? field)
  return [
    place,
    path === undefined ? '' : `, at ${path}`,
    regex === undefined ? '' : `, the part that matches ${regex}`,
  ].join('')
}

/** How values of a field are written: a share of yes, or of what passed, as a percentage. */
export function formatterOf(
  field: SchemaField | undefined,
  aggregation = 'average',
): (value: number) => string {
  if (aggregation === 'pass_rate') return formatPercent
  return field?.type === 'boolean' && !['sum', 'count'].includes(aggregation) ? formatPercent : formatNumber
}
