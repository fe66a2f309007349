import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { encodeTraces, type TestAttributes, type TestSpan } from '../otlp/encode-traces.ts'
import type { Answer, CallOptions } from './call.ts'

/** Anything that can be called like a service. */
export interface Callable {
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
}

/** A span of a chat in OpenLLMetry's words; the name decides its ids. */
export function chatSpan(
  name: string,
  { prompt = 'How are you?', completion = 'Fine, thanks.', attributes = {} as TestAttributes } = {},
): TestSpan {
  const digest = createHash('sha256').update(name).digest()
  const startUnixNano = BigInt(Date.now()) * 1_000_000n
  return {
    traceId: digest.subarray(0, 16),
    spanId: digest.subarray(16, 24),
    name: 'chat gpt-4o',
    kind: 3,
    startUnixNano,
    endUnixNano: startUnixNano + 1_000_000_000n,
    attributes: {
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': prompt,
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': completion,
      ...attributes,
    },
  }
}

/** The ids of a span that `chatSpan` makes, as results show them. */
export function idsOf(name: string): { trace_id: string; span_id: string } {
  const digest = createHash('sha256').update(name).digest('hex')
  return { trace_id: digest.slice(0, 32), span_id: digest.slice(32, 48) }
}

/** Sends spans as one OTLP request of the service `shop` and insists on a plain success. */
export async function sendSpans(
  service: Callable,
  spans: readonly TestSpan[],
  options: CallOptions & { resource?: TestAttributes } = {},
): Promise<void> {
  const { resource = { 'service.name': 'shop' }, headers, ...rest } = options
  const answer = await service.call('POST', '/v1/traces', {
    ...rest,
    body: encodeTraces([{ resource, scopes: [{ spans }] }]),
    headers: { 'content-type': 'application/x-protobuf', ...headers },
  })
  assert.equal(answer.status, 200, answer.text)
}

/** Far more than anything takes on a machine that is eight times slower than usual. */
const DEADLINE_MS = 300_000
const LOOK_MS = 10

/** The first result of `look` that is neither undefined nor false; fails with the last error when there is none. */
export async function eventually<T>(look: () => Promise<T | undefined | false>, what: string): Promise<T> {
  const deadline = Date.now() + DEADLINE_MS
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    assert.ok(Date.now() < deadline, `this did not happen in time: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

/** Waits until a setup has that status and gives it. */
export function untilStatus(
  service: Callable,
  externalId: string,
  status: string,
  options: CallOptions = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
): Promise<any> {
  return eventually(async () => {
    const { json } = await service.call('GET', `/v2/auto-monitor-setups/${externalId}`, options)
    return json?.status === status && json
  }, `${externalId} becomes ${status}`)
}
