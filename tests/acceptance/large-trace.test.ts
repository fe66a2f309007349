import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestSpan } from '../otlp/encode-traces.ts'
import { call, FIRST_KEY } from '../support/call.ts'
import { spawnService } from '../support/process.ts'
import { eventually, sendSpans } from '../support/spans.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const SPANS = 30_000
const SPANS_PER_REQUEST = 1_000
/** More than a service with every thread at work needs, and less than such a trace would need as a whole. */
const MEMORY_MB_MAX = 700

const traceId = Buffer.alloc(16, 7)
const spanId = (number: number) => {
  const id = Buffer.alloc(8)
  id.writeUInt32BE(number + 1, 4)
  return id
}

function step(number: number): TestSpan {
  const startUnixNano = BigInt(Date.now()) * 1_000_000n + BigInt(number) * 1_000n
  return {
    traceId,
    spanId: spanId(number),
    ...(number === 0 ? {} : { parentSpanId: spanId(0) }),
    name: number === 0 ? 'agent' : `step ${number}`,
    startUnixNano,
    endUnixNano: startUnixNano + 500n,
    attributes: {
      agent: 'large',
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': `Do step ${number}. ${'Some more words to make it long. '.repeat(20)}`,
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': `Step ${number} is done.`,
    },
  }
}

test('a trace of 30,000 spans is evaluated within bounded memory, and the result says that it was sampled', async () => {
  const service = await spawnService({
    ASSAY_DATA_DIR: temporaryDirectory(),
    ASSAY_API_KEY: FIRST_KEY,
    ASSAY_SETUP_REST_MS: '0',
    ASSAY_EMBEDDED_JUDGE: 'always',
    ASSAY_EVALUATION_MS_MAX: '300000',
  })
  const api = {
    call: (...args: Parameters<typeof call> extends [string, ...infer Rest] ? Rest : never) =>
      call(service.url, ...args),
  }
  try {
    const body = {
      external_id: 'large',
      evaluators: ['char-count'],
      selector: [{ key: 'agent', value: 'large', source: 'span_attributes' }],
      evaluator_configs: [{ slug: 'char-count', scope: 'trace' }],
    }
    assert.equal((await api.call('POST', '/v2/auto-monitor-setups', { body })).status, 201)
    for (let from = 0; from < SPANS; from += SPANS_PER_REQUEST) {
      const numbers = Array.from({ length: SPANS_PER_REQUEST }, (_, at) => from + at)
      await sendSpans(api, numbers.map(step))
    }
    let mostMb = 0
    const found = await eventually(async () => {
      const text = (await api.call('GET', '/metrics')).text
      const bytes = Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1] ?? Number.NaN)
      mostMb = Math.max(mostMb, bytes / 1_048_576)
      const { json } = await api.call('GET', '/v2/evaluations')
      const newest = json.evaluations[0]
      if (newest) {
        const detail = (await api.call('GET', `/v2/evaluations/${newest.id}`)).json
        if (detail.judgement?.evidence?.sampled?.spans === SPANS) return detail
      }
      await sleep(200)
      return undefined
    }, 'the whole trace is evaluated')
    assert.equal(found.status, 'scored', found.error_message)
    assert.ok(found.judgement.evidence.sampled.read < SPANS)
    assert.ok(mostMb < MEMORY_MB_MAX, `${Math.round(mostMb)} MB`)
  } finally {
    service.abandon()
  }
})
