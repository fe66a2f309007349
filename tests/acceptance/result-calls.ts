import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TestService } from '../support/service.ts'
import { createSetup } from './setup-calls.ts'

/** A span to be sent; what is not said is made up. */
export interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly startMs: number
  readonly attributes: Readonly<Record<string, string | number | boolean>>
}

/** The attribute that makes a setup of these tests take a span. */
export const GROUP = 'test.group'

/** A span that carries an answer, if one is given. */
export function newSpan(
  given: Partial<Omit<SentSpan, 'attributes'>> & {
    readonly answer?: string
    readonly attributes?: SentSpan['attributes']
  },
): SentSpan {
  const { answer, attributes, ...rest } = given
  return {
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    startMs: Date.now(),
    ...rest,
    attributes: {
      ...(answer === undefined
        ? {}
        : { 'gen_ai.completion.0.role': 'assistant', 'gen_ai.completion.0.content': answer }),
      ...attributes,
    },
  }
}

/** Sends spans in one OTLP request; anything but a 200 fails the test. */
export async function sendSpans(
  service: TestService,
  spans: readonly SentSpan[],
  options: { readonly key?: string; readonly resource?: SentSpan['attributes'] } = {},
): Promise<void> {
  const resource = options.resource ?? { 'service.name': 'shop' }
  const answer = await service.call('POST', '/v1/traces', {
    ...(options.key === undefined ? {} : { key: options.key }),
    body: {
      resourceSpans: [
        {
          resource: { attributes: toOtlp(resource) },
          scopeSpans: [{ scope: { name: 'tests', version: '1.0' }, spans: spans.map(toOtlpSpan) }],
        },
      ],
    },
  })
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.json.partialSuccess?.rejectedSpans, undefined, answer.text)
}

function toOtlpSpan({ traceId, spanId, startMs, attributes }: SentSpan) {
  return {
    ...{ traceId, spanId, name: 'chat', kind: 3, traceState: 'a=b' },
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${startMs + 250}000000`,
    attributes: toOtlp(attributes),
    status: { code: 1, message: 'fine' },
  }
}

function toOtlp(attributes: SentSpan['attributes']) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toOtlpValue(value) }))
}

function toOtlpValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** Reads a path until the answer is as it should be. The limit is generous: it ends a wait that is in vain, nothing else. */
export async function until(
  service: TestService,
  path: string,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  isDone: (json: any) => boolean,
  key?: string,
) {
  const deadline = Date.now() + 300_000
  for (;;) {
    const answer = await service.call('GET', path, key === undefined ? {} : { key })
    assert.equal(answer.status, 200, answer.text)
    if (isDone(answer.json)) return answer.json
    assert.ok(Date.now() < deadline, `${path} is still ${answer.text.slice(0, 2_000)}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Creates a setup for the spans of one group. */
export async function createGroupSetup(
  service: TestService,
  externalId: string,
  body: object,
  key?: string,
): Promise<void> {
  await createSetup(service, { external_id: externalId, selector: { [GROUP]: externalId }, ...body }, key)
}

/** Waits until so many results of a setup can be read, and tells them, newest first. */
export async function resultsOf(service: TestService, externalId: string, count: number, key?: string) {
  const path = `/v2/evaluations?limit=1000&external_id=${encodeURIComponent(externalId)}`
  const { evaluations } = await until(service, path, (json) => json.evaluations.length >= count, key)
  assert.equal(evaluations.length, count)
  return evaluations
}

/** The id of the monitor of one entry, once there is one. */
export async function monitorOf(
  service: TestService,
  externalId: string,
  slug: string,
  key?: string,
): Promise<string> {
  const path = `/v2/monitors?external_id=${encodeURIComponent(externalId)}&evaluator_type=${slug}`
  const { monitors } = await until(service, path, (json) => json.monitors.length > 0, key)
  return monitors[0].id
}
