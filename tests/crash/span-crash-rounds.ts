import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type CallOptions, call, FIRST_KEY } from '../support/call.ts'
import { type ServiceProcess, spawnService } from '../support/process.ts'
import { chatSpan, eventually, idsOf, sendSpans, untilStatus } from '../support/spans.ts'

/** What a series of crashes did to spans and their scores. */
export interface SpanCrashReport {
  readonly rounds: number
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
  /** Longest time from the start of the service until a score appeared that was waiting for it. */
  readonly slowestResumeMs: number
}

const WRITERS = 4
const SPANS_PER_REQUEST = 20
const ROUND_MS_MIN = 50
const ROUND_MS_MAX = 400
const EVALUATORS = ['char-count', 'word-count']
/** Counts words like word-count does, by asking a judge. */
const JUDGED_COUNT = {
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

interface SentSpan {
  readonly name: string
  readonly completion: string
}

/**
 * Kills the service with SIGKILL at a random moment while clients send spans and monitors score them, again and again
 * on the same store. Clients send their last request again after a crash, as exporters do, and now and then an old one.
 */
export async function runSpanCrashRounds(
  dataDir: string,
  rounds: number,
  { judgeUrl }: { readonly judgeUrl?: string } = {},
): Promise<SpanCrashReport> {
  const evaluators = judgeUrl === undefined ? EVALUATORS : [...EVALUATORS, JUDGED_COUNT.slug]
  const env = judgeUrl === undefined ? {} : { OPENAI_BASE_URL: judgeUrl }
  const acknowledged = new Map<string, SentSpan>()
  const unanswered: SentSpan[][] = []
  let slowestResumeMs = 0
  for (let round = 0; round < rounds; round++) {
    await withService(dataDir, env, async (service) => {
      if (round === 0) await monitorEverything(service, evaluators, acknowledged)
      else slowestResumeMs = Math.max(slowestResumeMs, await resumeMs(service))
      const again = unanswered.splice(0)
      const writers = Array.from({ length: WRITERS }, () =>
        sendUntilItDies(service, acknowledged, unanswered, again),
      )
      await new Promise((resolve) =>
        setTimeout(resolve, ROUND_MS_MIN + Math.random() * (ROUND_MS_MAX - ROUND_MS_MIN)),
      )
      await service.end('SIGKILL')
      await Promise.all(writers)
    })
  }
  const findings = await withService(dataDir, env, (service) => audit(service, evaluators, acknowledged))
  return { rounds, slowestResumeMs, ...findings }
}

/** A service that is gone in the end, whatever becomes of the round. */
async function withService<T>(
  dataDir: string,
  env: Readonly<Record<string, string>>,
  use: (service: ServiceProcess) => Promise<T>,
): Promise<T> {
  const service = await spawnService({
    ASSAY_DATA_DIR: dataDir,
    ASSAY_API_KEY: FIRST_KEY,
    ASSAY_SETUP_REST_MS: '0',
    ...env,
  })
  try {
    return await use(service)
  } finally {
    service.abandon()
  }
}

const callable = ({ url }: ServiceProcess) => ({
  call: (method: string, path: string, options?: CallOptions) => call(url, method, path, options),
})

async function monitorEverything(
  service: ServiceProcess,
  evaluators: readonly string[],
  acknowledged: Map<string, SentSpan>,
): Promise<void> {
  if (evaluators.includes(JUDGED_COUNT.slug)) {
    assert.equal((await call(service.url, 'POST', '/v2/evaluators', { body: JUDGED_COUNT })).status, 200)
  }
  const body = { external_id: 'all', evaluators }
  assert.equal((await call(service.url, 'POST', '/v2/auto-monitor-setups', { body })).status, 201)
  const first = newSpan()
  await sendSpans(callable(service), [chatSpan(first.name, first)])
  acknowledged.set(idsOf(first.name).span_id, first)
  await untilStatus(callable(service), 'all', 'completed')
}

function newSpan(): SentSpan {
  const name = randomBytes(12).toString('hex')
  // The name makes the text unlike any other, so that no judge has been asked about it before.
  return { name, completion: `word${' word'.repeat(Math.random() * 50)}, ${name}` }
}

async function sendUntilItDies(
  service: ServiceProcess,
  acknowledged: Map<string, SentSpan>,
  unanswered: SentSpan[][],
  again: SentSpan[][],
): Promise<void> {
  let previous: SentSpan[] = []
  for (;;) {
    const isRepeat = previous.length > 0 && Math.random() < 0.2
    const request = again.pop() ?? (isRepeat ? previous : Array.from({ length: SPANS_PER_REQUEST }, newSpan))
    try {
      await sendSpans(
        callable(service),
        request.map((span) => chatSpan(span.name, span)),
      )
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      unanswered.push(request)
      return
    }
    for (const span of request) acknowledged.set(idsOf(span.name).span_id, span)
    previous = request
  }
}

/** How long a score takes to appear that was waiting when the service started; 0 when none was waiting. */
async function resumeMs(service: ServiceProcess): Promise<number> {
  const startMs = performance.now()
  const lag = async () =>
    (await call(service.url, 'GET', '/v2/monitoring/status')).json.lag_in_spans as number
  const before = await lag()
  if (before === 0) return 0
  await eventually(async () => (await lag()) < before, 'scoring goes on')
  return performance.now() - startMs
}

async function audit(
  service: ServiceProcess,
  evaluators: readonly string[],
  acknowledged: ReadonlyMap<string, SentSpan>,
) {
  await eventually(async () => {
    const { json } = await call(service.url, 'GET', '/v2/monitoring/status')
    return json.lag_in_spans === 0
  }, 'everything is scored')
  const scores = new Map<string, Evaluation>()
  const report = { acknowledged: acknowledged.size, lost: 0, doubled: 0, wrong: 0, miscounted: 0 }
  let rows = 0
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const path = `/v2/evaluations?limit=1000${cursor ? `&cursor=${cursor}` : ''}`
    const { json } = await call(service.url, 'GET', path)
    for (const row of json.evaluations as Evaluation[]) {
      rows++
      const unit = `${row.monitor_id} ${row.span_id}`
      if (scores.has(unit)) report.doubled++
      scores.set(unit, row)
    }
    cursor = json.next_cursor ?? undefined
  }
  const { json } = await call(service.url, 'GET', '/v2/monitors?external_id=all')
  const monitors = json.monitors as { id: string; evaluator_type: string; counts: Record<string, number> }[]
  assert.equal(monitors.length, evaluators.length)
  for (const [spanId, { completion }] of acknowledged) {
    for (const { id, evaluator_type: slug } of monitors) {
      const score = scores.get(`${id} ${spanId}`)
      if (!score) report.lost++
      else if (slug === 'char-count' && score.output.char_count !== completion.length) report.wrong++
      else if (slug !== 'char-count' && score.output.word_count !== completion.split(' ').length)
        report.wrong++
    }
  }
  const counted = monitors.reduce((sum, { counts }) => sum + (counts['scored'] ?? 0), 0)
  report.miscounted = Math.abs(counted - rows)
  return report
}
