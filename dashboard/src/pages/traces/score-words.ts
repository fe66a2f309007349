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

/** How the results of an evaluator look: the worst of them decides. */
export type Standing = 'fail' | 'error' | 'pass' | 'neutral' | 'unscored'

/** Results of one evaluator on one trace, in a few words. */
export interface ScoreSummary {
  readonly evaluator: string
  readonly standing: Standing
  /** The verdict in words; where there is none, the value or the status. */
  readonly words: string
  /** The measured value beside a verdict. A yes or no only repeats the verdict and is left to the details. */
  readonly value?: string
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
/** The worst first, so that it is seen where only one badge has room. */
const STANDINGS: readonly Standing[] = ['fail', 'error', 'pass', 'neutral', 'unscored']

/** The results of evaluators, one summary for each, the worst first. */
export function summarise(evaluations: readonly ShortEvaluation[]): ScoreSummary[] {
  const summaries = [...groupBy(evaluations, ({ evaluator_type: slug }) => slug)].map(
    ([evaluator, results]): ScoreSummary => ({
      evaluator,
      standing: standingOf(results),
      ...wordsAndValue(results),
      details: results.map((one) => `${evaluator}: ${detailWords(one)}`).join('\n'),
    }),
  )
  return summaries.sort((a, b) => STANDINGS.indexOf(a.standing) - STANDINGS.indexOf(b.standing))
}

function standingOf(results: readonly ShortEvaluation[]): Standing {
  const standings = results.map(({ status, verdict }): Standing => {
    if (FAILURES.has(status)) return 'error'
    return verdict ?? (status === 'scored' ? 'neutral' : 'unscored')
  })
  return STANDINGS.find((standing) => standings.includes(standing)) ?? 'unscored'
}

function wordsAndValue(results: readonly ShortEvaluation[]): Pick<ScoreSummary, 'words' | 'value'> {
  const judged = results.filter(({ verdict }) => verdict === 'pass' || verdict === 'fail')
  const worst = judged.find(({ verdict }) => verdict === 'fail') ?? judged[0]
  if (!worst) return { words: wordsOf(results) }
  const label = worst.verdict_label ?? worst.verdict ?? ''
  const same = judged.filter(({ verdict }) => verdict === worst.verdict).length
  const isMeasured = judged.some(({ output }) => typeof mainValue(output) === 'number')
  return {
    words: same < judged.length ? `${label} (${same} of ${judged.length})` : timesOf(label, judged),
    ...(isMeasured ? { value: measuredWords(judged) } : {}),
  }
}

// A number of results is said by the words already.
function measuredWords(judged: readonly ShortEvaluation[]): string {
  return wordsOf(judged).replace(/ ×\d+$/, '')
}

function detailWords(result: ShortEvaluation): string {
  const { verdict_label: label } = result
  return label === undefined ? resultWords(result) : `${label} (${resultWords(result)})`
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
  if (words.size === 1) return timesOf(resultWords(first), results)
  const values = results.flatMap(({ status, output }) => (status === 'scored' ? [mainValue(output)] : []))
  const numbers = values.filter((value) => typeof value === 'number')
  if (numbers.length > 0)
    return `mean ${formatNumber(numbers.reduce((sum, value) => sum + value, 0) / numbers.length)} of ${numbers.length}`
  const booleans = values.filter((value) => typeof value === 'boolean')
  if (booleans.length > 0) return `${booleans.filter(Boolean).length} of ${booleans.length} yes`
  const counts = groupBy(results, resultWords)
  return [...counts].map(([words, all]) => `${words} ×${all.length}`).join(', ')
}

function timesOf(words: string, results: readonly ShortEvaluation[]): string {
  return spansOf(results) > 1 ? `${words} ×${results.length}` : words
}

// Two setups may have the same evaluator look at the same span.
function spansOf(results: readonly ShortEvaluation[]): number {
  return new Set(results.map(({ span_id: id }) => id)).size
}
