import type { components } from '../../api/schema.gen.ts'
import { formatNumber, formatPercent } from '../../ui/format.ts'

export type SchemaField = components['schemas']['SchemaField']
type Mapped = components['schemas']['MappedInput']

/** True for a field whose values have a mean; booleans count as 0 and 1. */
export const isNumeric = ({ type }: SchemaField): boolean => ['int', 'float', 'boolean'].includes(type)

/** The annotation of a person that says which verdict is right has this name; no field of an output has it. */
export const VERDICT_NAME = '$verdict'

/** The outcome of a unit, in one sentence. */
export const STATUS_REASONS: Readonly<Record<string, string>> = {
  scored: 'The evaluator returned a score.',
  abstained: 'The evaluator could not decide, so there is no score.',
  missing_input: 'An input that the evaluator needs was not found in the span.',
  unparseable: 'The judge answered, but its answer could not be read.',
  refused: 'The judge declined to answer.',
  over_budget: 'The judge budget was used up, so no judge was asked.',
  sampled_out: 'The sampling rate excluded it.',
  skipped: 'It is not a model, tool or agent call.',
  cancelled: 'The setup was changed or deleted before the evaluation ran.',
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
  prompt: 'the last user message',
  completion: 'the answer',
  system_prompt: 'the system prompt',
  messages: 'the whole conversation',
  input_messages: 'the messages sent',
  output_messages: 'the messages returned',
  prompts: 'all user messages',
  completions: 'all answers',
  context: 'the retrieved documents',
  tool_definitions: 'the available tools',
  tool_calls: 'the tool calls',
  tool_results: 'the tool results',
  logprobs: 'the token probabilities',
  model: 'the model name',
  session_id: 'the session id',
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
