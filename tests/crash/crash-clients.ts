import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { call } from '../support/call.ts'
import { chatSpan, idsOf, sendSpans, untilStatus } from '../support/spans.ts'

/** The fate of acknowledged spans. */
export interface SpanFindings {
  /** Spans whose request was answered 200. */
  readonly acknowledged: number
  /** Acknowledged spans that some monitor has no score for, although scoring has come to its end. */
  readonly lost: number
  /** Scores beyond one per span and monitor. */
  readonly doubled: number
  /** Scores with another value than the span's text has. */
  readonly wrong: number
  /** How far the counts of the monitors are from their evaluations; a rollup that was written twice shows here. */
  readonly miscounted: number
}

export interface SentSpan {
  readonly name: string
  readonly completion: string
}

export const EVALUATORS = ['char-count', 'word-count']
/** Counts words like word-count does, by asking a judge. */
export const JUDGED_COUNT = {
  name: 'Judged count',
  slug: 'judged-count',
  provider: 'openai',
  model: 'counter',
  messages: [{ role: 'user', content: 'How often? {{completion}}' }],
  input_schema: [{ name: 'completion', type: 'string' }],
  output_schema: [{ name: 'word_count', type: 'int' }],
}

interface Evaluation {
  monitor_id: string
  span_id: string
  status: string
  output: { char_count?: number; word_count?: number }
}

export const callableAt = (url: string) => ({
  call: (...args: CallArguments) => call(url, ...args),
})
type CallArguments = Parameters<typeof call> extends [string, ...infer Rest] ? Rest : never

/** Makes a setup that matches every span and waits until it is bound. Spans go to `ingestUrl`, everything else to `apiUrl`. */
export async function monitorEverything(
  apiUrl: string,
  ingestUrl: string,
  evaluators: readonly string[],
  acknowledged: Map<string, SentSpan>,
): Promise<void> {
  if (evaluators.includes(JUDGED_COUNT.slug)) {
    assert.equal((await call(apiUrl, 'POST', '/v2/evaluators', { body: JUDGED_COUNT })).status, 200)
  }
  const body = { external_id: 'all', evaluators }
  assert.equal((await call(apiUrl, 'POST', '/v2/auto-monitor-setups', { body })).status, 201)
  await sendRequest(ingestUrl, [newSpan()], acknowledged)
  await untilStatus(callableAt(apiUrl), 'all', 'completed')
}

export function newSpan(): SentSpan {
  const name = randomBytes(12).toString('hex')
  // The name makes the text unlike any other, so that no judge has been asked about it before.
  return { name, completion: `word${' word'.repeat(Math.random() * 50)}, ${name}` }
}

/** Sends a request and, when it was answered 200, counts its spans as acknowledged. */
export async function sendRequest(
  url: string,
  request: readonly SentSpan[],
  acknowledged: Map<string, SentSpan>,
): Promise<void> {
  await sendSpans(
    callableAt(url),
    request.map((span) => chatSpan(span.name, span)),
  )
  for (const span of request) acknowledged.set(idsOf(span.name).span_id, span)
}

/** Spans that are matched and not evaluated yet. */
export async function lagOf(apiUrl: string): Promise<number> {
  return (await call(apiUrl, 'GET', '/v2/monitoring/status')).json.lag_in_spans as number
}

/** How long scoring may stand still before it counts as stuck. */
const STILL_MS_MAX = 300_000

/** Waits until everything is scored, however long that takes, as long as it goes on. */
export async function untilScored(apiUrl: string): Promise<void> {
  let least = Number.POSITIVE_INFINITY
  let movedMs = performance.now()
  for (;;) {
    const lag = await lagOf(apiUrl).catch(() => least)
    if (lag === 0) return
    if (lag < least) {
      least = lag
      movedMs = performance.now()
    }
    assert.ok(performance.now() - movedMs < STILL_MS_MAX, `scoring stands still, with ${lag} spans left`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Waits until everything is scored, then holds the scores against what was sent. */
export async function audit(
  apiUrl: string,
  evaluators: readonly string[],
  acknowledged: ReadonlyMap<string, SentSpan>,
): Promise<SpanFindings> {
  await untilScored(apiUrl)
  const { scores, rows, doubled } = await readScores(apiUrl)
  const { json } = await call(apiUrl, 'GET', '/v2/monitors?external_id=all')
  const monitors = json.monitors as { id: string; evaluator_type: string; counts: Record<string, number> }[]
  assert.equal(monitors.length, evaluators.length)
  let lost = 0
  let wrong = 0
  for (const [spanId, sent] of acknowledged) {
    for (const { id, evaluator_type: slug } of monitors) {
      const score = scores.get(`${id} ${spanId}`)
      if (!score) lost++
      else if (!isRight(slug, score, sent)) wrong++
    }
  }
  const counted = monitors.reduce((sum, { counts }) => sum + (counts['scored'] ?? 0), 0)
  return { acknowledged: acknowledged.size, lost, doubled, wrong, miscounted: Math.abs(counted - rows) }
}

function isRight(slug: string, { output }: Evaluation, { completion }: SentSpan): boolean {
  if (slug === 'char-count') return output.char_count === completion.length
  return output.word_count === completion.split(' ').length
}

async function readScores(apiUrl: string) {
  const scores = new Map<string, Evaluation>()
  let rows = 0
  let doubled = 0
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const path = `/v2/evaluations?limit=1000${cursor ? `&cursor=${cursor}` : ''}`
    const { json } = await call(apiUrl, 'GET', path)
    for (const row of json.evaluations as Evaluation[]) {
      rows++
      const unit = `${row.monitor_id} ${row.span_id}`
      if (scores.has(unit)) doubled++
      scores.set(unit, row)
    }
    cursor = json.next_cursor ?? undefined
  }
  return { scores, rows, doubled }
}
