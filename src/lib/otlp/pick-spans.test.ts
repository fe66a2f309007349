import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeTraces, testId } from '../../../tests/otlp/encode-traces.ts'
import { pickSpans } from './pick-spans.ts'
import { scanTraces } from './scan-traces.ts'

const span = (number: number) => ({
  traceId: testId(16, 1),
  spanId: testId(8, number),
  name: `span ${number}`,
  attributes: { number },
})
// The third span has no ids, so it was rejected on arrival.
const batch = encodeTraces([
  {
    resource: { 'service.name': 'shop' },
    scopes: [
      { name: 'openai', version: '1.0', spans: [span(1), span(2), {}, span(3)] },
      { spans: [span(4)] },
    ],
  },
  { resource: { 'service.name': 'lab' }, scopes: [{ name: 'other', spans: [span(5)] }] },
])
const { rejectedPlaces } = scanTraces(batch)

test('picked spans come with their resource and scope, in the order of the batch', () => {
  const views = scanTraces(pickSpans(batch, rejectedPlaces, new Set([4, 2, 0]))).spans
  assert.deepEqual(
    views.map(({ name, resource, context }) => [name, resource.get('service.name'), context.scope.name]),
    [
      ['span 1', 'shop', 'openai'],
      ['span 3', 'shop', 'openai'],
      ['span 5', 'lab', 'other'],
    ],
  )
  assert.equal(views[1]?.attribute('span_attributes', 'number'), 3)
})

test('spans that were rejected by a rule that is gone have no ordinal', () => {
  const views = scanTraces(pickSpans(batch, [0, ...rejectedPlaces], new Set([0]))).spans
  assert.deepEqual(
    views.map(({ name }) => name),
    ['span 2'],
  )
})

test('an ordinal that the batch does not have picks nothing', () => {
  assert.deepEqual(scanTraces(pickSpans(batch, rejectedPlaces, new Set([5, 100]))).spans, [])
})
