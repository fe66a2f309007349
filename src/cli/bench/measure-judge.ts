import type { Trial } from '../../app/open-trial.ts'
import { NoVerdict } from '../../domain/no-verdict.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { LabelledFile, LabelledRow } from './labelled-data.ts'
import { computeFigures, type Figures, type Judged } from './quality-figures.ts'

/** The results of a judge on the rows of one file. */
export interface JudgeFigures {
  readonly name: string
  /** Rows without a verdict count as wrong in every figure. */
  readonly figures: Figures
  readonly isPaired: boolean
  readonly abstained: number
  readonly calls: number
  readonly promptTokens: number
  readonly completionTokens: number
  /** In millionths of a US dollar; undefined: the price of the model is not known. */
  readonly costMicros: number | undefined
  /** Of the rows that got a verdict, all their questions together. */
  readonly p50Ms: number | undefined
  /** Why rows got no verdict, each reason with its number and first message. */
  readonly reasons: ReadonlyMap<string, { count: number; readonly message: string }>
}

interface Measured {
  readonly judged: Judged
  readonly reason?: string
  readonly ms: number
  readonly calls: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly costMicros: number | undefined
}

/** Runs a file's evaluator on its rows, some at the same time, as a monitor would. */
export async function measureJudge(trial: Trial, file: LabelledFile, atOnce: number): Promise<JudgeFigures> {
  const measured: Measured[] = []
  const waiting = [...file.rows.entries()]
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, row] = next
      measured[at] = await measureRow(trial, file.slug, row)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return summarize(file, measured)
}

async function measureRow(trial: Trial, slug: string, row: LabelledRow): Promise<Measured> {
  const startedMs = performance.now()
  const { input, config } = row
  try {
    const call = config === undefined ? { input } : { input, config }
    const { output, judgement } = await trial.execute(slug, call, new AbortController().signal)
    const { calls = 0, promptTokens = 0, completionTokens = 0, costMicros } = judgement ?? {}
    const ms = performance.now() - startedMs
    return { judged: { row, answer: output }, ms, calls, promptTokens, completionTokens, costMicros }
  } catch (error) {
    // Without a judge there is nothing to measure; a row that is no input of its evaluator is a fault of the data.
    if (!(error instanceof PublicError)) throw error
    if (error instanceof NoVerdict && error.reason === 'not_configured') throw error
    const reason = error instanceof NoVerdict ? error.reason : error.kind
    const judged = { row, error: error.message }
    return { judged, reason, ms: 0, calls: 0, promptTokens: 0, completionTokens: 0, costMicros: 0 }
  }
}

function summarize({ name, rows }: LabelledFile, measured: readonly Measured[]): JudgeFigures {
  const sum = (field: 'calls' | 'promptTokens' | 'completionTokens') =>
    measured.reduce((total, row) => total + row[field], 0)
  const times = measured
    .filter(({ reason }) => reason === undefined)
    .map(({ ms }) => ms)
    .sort((left, right) => left - right)
  const reasons = new Map<string, { count: number; readonly message: string }>()
  for (const { reason, judged } of measured) {
    if (reason === undefined) continue
    const known = reasons.get(reason)
    if (known) known.count++
    else reasons.set(reason, { count: 1, message: judged.error ?? '' })
  }
  return {
    name,
    figures: computeFigures(measured.map(({ judged }) => judged)),
    isPaired: rows.some(({ meta }) => meta['pair'] !== undefined),
    abstained: measured.filter(({ reason }) => reason !== undefined).length,
    calls: sum('calls'),
    promptTokens: sum('promptTokens'),
    completionTokens: sum('completionTokens'),
    costMicros: measured.reduce<number | undefined>(
      (total, { costMicros: cost }) => (total === undefined || cost === undefined ? undefined : total + cost),
      0,
    ),
    p50Ms: times[Math.ceil(times.length / 2) - 1],
    reasons,
  }
}
