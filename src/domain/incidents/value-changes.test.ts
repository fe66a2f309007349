import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangeProperty } from './incident.ts'
import { findValueChanges } from './value-changes.ts'

type Values = Readonly<Partial<Record<ChangeProperty, string>>>
const calls = (count: number, valuesOf: (at: number) => Values, traceSize = 1) =>
  Array.from({ length: count }, (_, at) => ({
    traceId: String(Math.floor(at / traceSize)),
    values: valuesOf(at),
  }))

test('a value that takes over is told with its share before and after, and so is the one it replaced', () => {
  const before = calls(100, () => ({ model: 'large', service_version: '1' }))
  const after = calls(50, (at) => ({ model: 'large', service_version: at < 40 ? '2' : '1' }))
  assert.deepEqual(findValueChanges(before, after), [
    { property: 'service_version', value: '2', shareBefore: 0, shareAfter: 0.8 },
    { property: 'service_version', value: '1', shareBefore: 1, shareAfter: 0.2 },
  ])
})

test('a share that moved by chance or by little is not told', () => {
  const before = calls(20, (at) => ({ model: at % 2 === 0 ? 'a' : 'b' }))
  const after = calls(20, (at) => ({ model: at % 4 < 1 ? 'a' : 'b' }))
  assert.deepEqual(findValueChanges(before, after), [])
  const little = calls(1_000, (at) => ({ model: at % 100 < 15 ? 'a' : 'b' }))
  assert.deepEqual(
    findValueChanges(
      calls(1_000, () => ({ model: 'b' })),
      little,
    ),
    [],
  )
})

test('a value that only one or two traces have is not told', () => {
  const before = calls(40, () => ({ prompt_name: 'greeting' }))
  const ofOneTrace = calls(40, () => ({ prompt_name: 'to Ada' }), 40)
  assert.deepEqual(
    findValueChanges(before, ofOneTrace).map(({ value }) => value),
    ['greeting'],
  )
})

test('few calls say nothing', () => {
  assert.deepEqual(
    findValueChanges(
      calls(9, () => ({ model: 'a' })),
      calls(90, () => ({ model: 'b' })),
    ),
    [],
  )
})
