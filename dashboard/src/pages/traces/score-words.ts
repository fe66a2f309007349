import { formatNumber } from '../../ui/format.ts'
import { groupBy } from './group-by.ts'
import type { ShortEvaluation } from './trace-types.ts'

/** The field of an output that stands for all of it: the first number or boolean, else the first text. */
export function mainValue(output: ShortEvaluation['output']): number | boolean | string | undefined {
  const values = Object.values(output ?? {})
  const measured = values.find((value) => typeof value === 'number' || typeof value === 'boolean')
  return (measured ?? values.find((value) => typeof value === 'string')) as
    | number
    | boolean
    | string
    | undefined
}

/** A value as it is read: yes and no for booleans, a few words of a text. */
export function valueWords(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return formatNumber(value)
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '–')
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}

/** Results of one evaluator on one trace, in a few words. */
export interface ScoreSummary {
  readonly evaluator: string
  readonly words: string
  readonly hasFailed: boolean
  /** Every result, for a closer look. */
  readonly details: string
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  abstained: 'abstained',
  missing_input: 'missing input',
  over_budget: 'over budget',
  sampled_out: 'sampled out',
}
const FAILURES = new Set(['error', 'unparseable', 'refused'])

/** The results of evaluators, one summary for each, those that failed first. */
export function summarise(evaluations: readonly ShortEvaluation[]): ScoreSummary[] {
  const summaries = [...groupBy(evaluations, ({ evaluator_type: slug }) => slug)].map(
    ([evaluator, results]) => ({
      evaluator,
      words: wordsOf(results),
      hasFailed: results.some(({ status }) => FAILURES.has(status)),
      details: results.map((one) => `${evaluator}: ${resultWords(one)}`).join('\n'),
    }),
  )
  return summaries.sort((a, b) => Number(b.hasFailed) - Number(a.hasFailed))
}

/** One result in words. */
export function resultWords({ status, output }: Pick<ShortEvaluation, 'status' | 'output'>): string {
  const value = status === 'scored' ? mainValue(output) : undefined
  return value === undefined ? (STATUS_WORDS[status] ?? status) : valueWords(value)
}

function wordsOf(results: readonly ShortEvaluation[]): string {
  const [first] = results
  if (!first) return '–'
  const words = new Set(results.map(resultWords))
  if (words.size === 1)
    return spansOf(results) > 1 ? `${resultWords(first)} ×${results.length}` : resultWords(first)
  const values = results.flatMap(({ status, output }) => (status === 'scored' ? [mainValue(output)] : []))
  const numbers = values.filter((value) => typeof value === 'number')
  if (numbers.length > 0)
    return `mean ${formatNumber(numbers.reduce((sum, value) => sum + value, 0) / numbers.length)} of ${numbers.length}`
  const booleans = values.filter((value) => typeof value === 'boolean')
  if (booleans.length > 0) return `${booleans.filter(Boolean).length} of ${booleans.length} yes`
  const counts = groupBy(results, resultWords)
  return [...counts].map(([words, all]) => `${words} ×${all.length}`).join(', ')
}

// Two setups may have the same evaluator look at the same span.
function spansOf(results: readonly ShortEvaluation[]): number {
  return new Set(results.map(({ span_id: id }) => id)).size
}
