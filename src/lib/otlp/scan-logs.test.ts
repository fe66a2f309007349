import assert from 'node:assert/strict'
import { test } from 'node:test'
import { officialLogsRequest } from '../../../tests/otlp/official-definitions.ts'
import { readEvents } from './read-span.ts'
import { scanLogs } from './scan-logs.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'
const NOTHING = '0'.repeat(32)

const text = (value: string) => ({ stringValue: value })
const record = (more: object) => ({
  timeUnixNano: '1700000000000000007',
  traceId: TRACE,
  spanId: SPAN,
  eventName: 'gen_ai.user.message',
  ...more,
})

const isWanted = (name: string) => name.startsWith('gen_ai.')

function jsonOf(records: readonly object[]): Buffer {
  return Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: records }] }] }))
}

function protobufOf(records: readonly object[]): Buffer {
  const bytes = (hex: unknown) => Buffer.from(String(hex), 'hex')
  const logRecords = records.map((each) => {
    const { traceId, spanId, ...rest } = each as Record<string, unknown>
    return { ...rest, traceId: bytes(traceId), spanId: bytes(spanId) }
  })
  const message = officialLogsRequest.fromObject({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })
  return Buffer.from(officialLogsRequest.encode(message).finish())
}

for (const [encoding, encode] of [
  ['json', jsonOf],
  ['protobuf', protobufOf],
] as const) {
  test(`reads records of spans as their events from ${encoding}`, () => {
    const body = {
      kvlistValue: {
        values: [
          { key: 'content', value: text('Why?') },
          { key: 'role', value: text('user') },
        ],
      },
    }
    const attributes = [{ key: 'gen_ai.system', value: text('openai') }]
    const { events, droppedCount, rejectedCount } = scanLogs(
      encode([record({ body, attributes }), record({ eventName: 'something.else' })]),
      encoding,
      isWanted,
    )
    assert.deepEqual([events.length, droppedCount, rejectedCount], [1, 1, 0])
    const [{ traceId, spanId, event }] = events as [(typeof events)[0]]
    assert.equal(Buffer.from(traceId).toString('hex'), TRACE)
    assert.equal(Buffer.from(spanId).toString('hex'), SPAN)
    assert.deepEqual(readEvents([event]), [
      {
        name: 'gen_ai.user.message',
        timeUnixNano: 1700000000000000007n,
        attributes: new Map<string, unknown>([
          ['gen_ai.system', 'openai'],
          ['body', { content: 'Why?', role: 'user' }],
        ]),
      },
    ])
  })

  test(`finds the name where older SDKs write it, and the time of observation, in ${encoding}`, () => {
    const attributes = [{ key: 'event.name', value: text('gen_ai.choice') }]
    const older = record({ eventName: '', timeUnixNano: '0', observedTimeUnixNano: '5', attributes })
    const { events } = scanLogs(encode([older]), encoding, isWanted)
    const [event] = readEvents(events.map((each) => each.event))
    assert.deepEqual([event?.name, event?.timeUnixNano], ['gen_ai.choice', 5n])
  })

  test(`drops records without a span from ${encoding}`, () => {
    const records = [record({ traceId: NOTHING }), record({ spanId: '' }), record({ traceId: 'abcd' })]
    const { events, droppedCount } = scanLogs(encode(records), encoding, isWanted)
    assert.deepEqual([events.length, droppedCount], [0, 3])
  })

  test(`rejects a record that is nested too deeply, and keeps the others, in ${encoding}`, () => {
    let deep: object = text('x')
    for (let depth = 0; depth < 40; depth++) deep = { arrayValue: { values: [deep] } }
    const { events, rejectedCount, rejection } = scanLogs(
      encode([record({ body: deep }), record({ body: text('shallow') })]),
      encoding,
      isWanted,
    )
    assert.deepEqual([events.length, rejectedCount], [1, 1])
    assert.match(rejection ?? '', /^log record 0: .*nested deeper/)
  })
}

test('refuses a body with broken framing', () => {
  assert.throws(
    () => scanLogs(Buffer.from([0x0a, 0x7f, 1]), 'protobuf', isWanted),
    /not a valid OTLP protobuf/,
  )
  assert.throws(
    () => scanLogs(Buffer.from('{"resourceLogs": 1}'), 'json', isWanted),
    /resourceLogs must be an array/,
  )
})

test('a record whose value is no value concerns that record alone', () => {
  const { events, droppedCount } = scanLogs(
    jsonOf([record({ timeUnixNano: 'soon' }), record({ body: text('a') })]),
    'json',
    isWanted,
  )
  assert.deepEqual([events.length, droppedCount], [1, 1])
})
