import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { call, FIRST_KEY } from '../support/call.ts'
import { type ServiceProcess, spawnService } from '../support/process.ts'
import { type Callable, chatSpan, eventually, sendSpans } from '../support/spans.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const BATCHES = 40
const SPANS_PER_BATCH = 20
const SPANS = BATCHES * SPANS_PER_BATCH
const KILLS = 3

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

const env = { ASSAY_API_KEY: FIRST_KEY, ASSAY_DATA_DIR: temporaryDirectory(), ASSAY_SETUP_REST_MS: '0' }
let running: ServiceProcess | undefined
after(() => running?.abandon())

test('a backfill goes on after kill -9 and evaluates every span exactly once', async () => {
  let service = await start()
  for (let at = 0; at < BATCHES; at++) {
    const spans = Array.from({ length: SPANS_PER_BATCH }, (_, each) => chatSpan(`span ${at} ${each}`))
    await sendSpans(service, spans)
  }
  const setup = { external_id: 's', evaluators: ['char-count'], selector: { 'gen_ai.system': 'openai' } }
  await expect(service, 'POST', '/v2/auto-monitor-setups', setup)
  const { id } = await expect(service, 'POST', '/v2/auto-monitor-setups/s/backfill', {})
  const job = () => expect(service, 'GET', `/v2/jobs/${id}`)
  let interrupted = 0
  for (let kill = 1; kill <= KILLS; kill++) {
    const { state } = await eventually(async () => {
      const now = await job()
      return (now.progress.evaluated >= ((kill - 1) * SPANS) / (KILLS + 1) || now.state === 'done') && now
    }, 'the backfill has come further')
    if (state !== 'done') interrupted++
    await running?.end('SIGKILL')
    service = await start()
  }
  assert.ok(interrupted > 0, 'the backfill was never interrupted')
  const done = await eventually(async () => {
    const now = await job()
    return now.state !== 'running' && now
  }, 'the backfill ends')
  assert.equal(done.state, 'done', JSON.stringify(done))
  const { looked_at: lookedAt, matched, queued, evaluated } = done.progress
  assert.deepEqual([lookedAt, matched, queued, evaluated], [SPANS, SPANS, SPANS, SPANS])
  const spanIds = await allSpanIds(service)
  assert.deepEqual([spanIds.length, new Set(spanIds).size], [SPANS, SPANS])
  const { monitors } = await expect(service, 'GET', '/v2/monitors?external_id=s')
  assert.deepEqual(monitors[0].counts, { scored: SPANS })
  await running?.end('SIGTERM')
})

async function start(): Promise<Callable> {
  running = await spawnService(env)
  const { url } = running
  return { call: (method, path, options) => call(url, method, path, options) }
}

async function expect(service: Callable, method: string, path: string, body?: object): Promise<Json> {
  const answer = await service.call(method, path, body ? { body } : {})
  assert.ok(answer.status === 200 || answer.status === 201, answer.text)
  return answer.json
}

/** Also those of superseded generations, of which there must be none. */
async function allSpanIds(service: Callable): Promise<string[]> {
  const spanIds: string[] = []
  for (let cursor = ''; ; ) {
    const page = await expect(service, 'GET', `/v2/evaluations?history=true&limit=1000${cursor}`)
    spanIds.push(...page.evaluations.map((each: Json) => each.span_id))
    if (page.next_cursor === undefined) return spanIds
    cursor = `&cursor=${page.next_cursor}`
  }
}
