import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeSpans, type TestSpan, testId } from './otlp/encode-traces.ts'
import { call } from './support/call.ts'
import type { ServiceProcess } from './support/process.ts'
import { spawnTestService } from './support/process-in-test.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'

const KEY = 'key-for-the-event-loop-test'
const LAG_MS_MAX = 50
/** A pause from inside comes every time. */
const ATTEMPTS = 4
/** With the limits of a service on its own: what takes too long ends with 504. */
const SETTINGS = { ASSAY_API_KEY: KEY, ASSAY_EVALUATION_MS_MAX: '10000' }

/** How long the service is watched while it has nothing to do. */
const IDLE_MS = 1_000
/** Largest body of the call that others are compared with. */
const SIMPLE_BYTES_MAX = 14_000_000

/** Calls that take long or are large, each in a way of its own. */
const HARD_CALLS: readonly [string, object][] = [
  ['char-count', { input: { text: 'The quick brown fox '.repeat(700_000) } }],
  ['word-count', { input: { text: '\n'.repeat(7_000_000) } }],
  ['json-validator', { input: { text: '['.repeat(5_000_000) } }],
  ['perplexity', { input: { logprobs: JSON.stringify(Array.from({ length: 500_000 }, () => -0.5)) } }],
  ['sql-validator', { input: { text: `SELECT ${Array.from({ length: 200_000 }, () => 1).join(' + ')}` } }],
  ['regex-validator', { input: { text: 'a'.repeat(50_000) }, config: { regex: '^(a+)+$' } }],
  ['regex-validator', { input: { text: `${'a'.repeat(40)}b` }, config: { regex: '^(?=a)(a+)+$' } }],
  ['html-comparison', { input: { html1: '<p>a</p>'.repeat(150_000), html2: '<p>b</p>'.repeat(150_000) } }],
  ['html-comparison', { input: { html1: '<div>'.repeat(100_000), html2: '<b>'.repeat(100_000) } }],
  ['agent-tool-trajectory', trajectory(500)],
  ['agent-tool-error-detector', { input: { tool_input: '{}', tool_output: 'Error '.repeat(1_000_000) } }],
]

test('no evaluation holds up the event loop, however large or nasty its input', async () => {
  const service = await spawnTestService({ ...SETTINGS, ASSAY_DATA_DIR: temporaryDirectory() })
  const bodies = HARD_CALLS.map(([slug, body]) => [slug, Buffer.from(JSON.stringify(body))] as const)
  // The first round starts the threads and compiles the code.
  for (const [slug, body] of bodies) await execute(service.url, slug, body)
  const worst: string[] = []
  for (const [slug, body] of bodies) {
    const pause = await pauseBeyond(LAG_MS_MAX, service, () => execute(service.url, slug, body), body.length)
    if (pause) worst.push(`${slug} (${body.length} bytes): ${pause}`)
  }
  assert.deepEqual(worst, [])
})

/** The largest bodies that may configure something, filled with what is most work to read or to refuse. */
const HARD_SETUPS: readonly [string, string][] = [
  ['many empty items', filled('{"setups":[', '{},', '{}]}')],
  ['many keys', `{"external_id":"a","evaluators":["char-count"],"selector":{${manyKeys(140_000)}}}`],
  [
    'many unknown objects',
    filled('{"external_id":"b","evaluators":["char-count"],"x":[', '{"a":1},', '{"a":1}]}'),
  ],
  [
    'a fault at the end',
    filled('{"external_id":"c","evaluators":["char-count"],"x":[', '{"a":1},', '{"a":1]}'),
  ],
]
/** These are read on the event loop itself. Without their limits the pauses were 1 to 9 seconds. */
const SETUP_LAG_MS_MAX = 500

test('no body that configures something holds up the event loop for long', async () => {
  const service = await spawnTestService({ ...SETTINGS, ASSAY_DATA_DIR: temporaryDirectory() })
  for (const [name, text] of HARD_SETUPS) {
    const path = `/v2/auto-monitor-setups${text.startsWith('{"setups"') ? '/bulk' : ''}`
    const body = Buffer.from(text)
    const send = async () =>
      assert.ok((await call(service.url, 'POST', path, { key: KEY, body })).status < 413, name)
    // Ten times the size, because reading costs more than receiving.
    const pause = await pauseBeyond(SETUP_LAG_MS_MAX, service, send, 10 * body.length)
    assert.equal(pause, undefined, `${name}: ${pause}`)
  }
})

/** OTLP requests of the largest size there is by default, each of another kind of work. */
const HARD_TRACES: readonly [string, string, () => Buffer][] = [
  ['JSON of few long spans', 'application/json', () => jsonSpans(16, 1_000_000)],
  ['JSON of many short spans', 'application/json', () => jsonSpans(50_000, 120)],
  ['JSON of nothing but brackets', 'application/json', () => Buffer.from(`[${'{},'.repeat(5_300_000)}{}]`)],
  ['protobuf of many spans', 'application/x-protobuf', () => encodeSpans(...manySpans(40_000, 300))],
]

test('no spans hold up the event loop, however many arrive', async () => {
  const service = await spawnTestService({ ...SETTINGS, ASSAY_DATA_DIR: temporaryDirectory() })
  for (const [name, type, makeBody] of HARD_TRACES) {
    const body = makeBody()
    assert.ok(body.length > 13_000_000 && body.length < 16_777_216, `${name}: ${body.length}`)
    const headers = { 'content-type': type }
    const send = async () => {
      const answer = await call(service.url, 'POST', '/v1/traces', { key: KEY, body, headers })
      assert.ok([200, 413].includes(answer.status), `${name}: ${answer.status} ${answer.text}`)
    }
    const pause = await pauseBeyond(LAG_MS_MAX, service, send, body.length)
    assert.equal(pause, undefined, `${name}: ${pause}`)
  }
})

function manySpans(count: number, textBytes: number): TestSpan[] {
  return Array.from({ length: count }, (_, at) => ({
    traceId: testId(16, at),
    spanId: testId(8, at),
    startUnixNano: BigInt(Date.now()) * 1_000_000n,
    attributes: { text: 'x'.repeat(textBytes) },
  }))
}

function jsonSpans(count: number, textBytes: number): Buffer {
  const spans = manySpans(count, textBytes).map((span) => ({
    traceId: Buffer.from(span.traceId ?? []).toString('hex'),
    spanId: Buffer.from(span.spanId ?? []).toString('hex'),
    startTimeUnixNano: String(span.startUnixNano),
    attributes: [{ key: 'text', value: { stringValue: 'x'.repeat(textBytes) } }],
  }))
  return Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }))
}

function filled(head: string, unit: string, tail: string): string {
  return head + unit.repeat(Math.floor((2_097_152 - head.length - tail.length) / unit.length)) + tail
}

function manyKeys(count: number): string {
  return Array.from({ length: count }, (_, at) => `"k${at}":null`).join(',')
}

async function execute(url: string, slug: string, body: Buffer): Promise<void> {
  const answer = await call(url, 'POST', `/v2/evaluators/${slug}/execute`, { key: KEY, body })
  assert.ok(answer.status < 500 || answer.status === 504, `${slug}: ${answer.status} ${answer.text}`)
}

/**
 * Tells of a pause of the event loop that is too long and comes from inside: the main thread then uses as much processor time,
 * and more than twice what it takes to receive a body of that size. On a busy machine most pauses come from outside.
 */
async function pauseBeyond(
  lagMsMax: number,
  service: ServiceProcess,
  work: () => Promise<void>,
  bytes: number,
): Promise<string | undefined> {
  const simple = Buffer.from(
    JSON.stringify({ input: { text: 'x'.repeat(Math.min(bytes, SIMPLE_BYTES_MAX)) } }),
  )
  let told = ''
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    await longestPauseMs(service.url)
    const startedMs = performance.now()
    const usedMs = await mainThreadMs(service, work)
    const tookMs = performance.now() - startedMs
    const lagMs = await longestPauseMs(service.url)
    if (lagMs < lagMsMax) return undefined
    const receivingMs = await mainThreadMs(service, () => execute(service.url, 'char-count', simple))
    // The idle baseline: the service looks for work now and then.
    const idleMs = (await mainThreadMs(service, () => sleep(IDLE_MS))) * (tookMs / IDLE_MS)
    const limitMs = Math.max(lagMsMax, 2 * receivingMs * Math.max(1, bytes / simple.length)) + 2 * idleMs
    if (usedMs < limitMs) return undefined
    told = `a pause of ${lagMs} ms with ${usedMs} ms of processor time; receiving takes ${receivingMs} ms, idling ${idleMs} ms`
  }
  return told
}

/** Processor time that the service's main thread uses meanwhile. Without Linux nothing tells, and every pause counts. */
async function mainThreadMs({ child }: ServiceProcess, work: () => Promise<void>): Promise<number> {
  const read = () =>
    process.platform === 'linux'
      ? Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
      : Number.NaN
  const before = read()
  await work()
  return read() - before
}

/** The longest pause of the service's event loop since the last time it was asked. */
async function longestPauseMs(url: string): Promise<number> {
  const { text } = await call(url, 'GET', '/metrics', { key: null })
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1]) * 1_000
}

function trajectory(calls: number): object {
  const list = (word: string) =>
    JSON.stringify(
      Array.from({ length: calls }, (_, at) => ({ name: 'same', input: { [word]: at, x: at % 7 } })),
    )
  return { input: { executed_tool_calls: list('a'), expected_tool_calls: list('b') } }
}
