import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addModelUse, type ModelUse, totalUse } from './model-use.ts'

const use: ModelUse = { calls: 1, errors: 0, countedCalls: 1, promptTokens: 10, completionTokens: 2 }

test('adds up the use of each model', () => {
  const uses = new Map<string, ModelUse>()
  addModelUse(uses, 'm', use)
  addModelUse(uses, '__proto__', use)
  addModelUse(uses, 'm', { ...use, errors: 1, countedCalls: 0 })
  assert.deepEqual(
    [...uses],
    [
      ['m', { calls: 2, errors: 1, countedCalls: 1, promptTokens: 20, completionTokens: 4 }],
      ['__proto__', use],
    ],
  )
  assert.equal(totalUse(uses).calls, 3)
})

test('stays small, and loses no call, however many models there are', () => {
  const uses = new Map<string, ModelUse>()
  for (let number = 0; number < 1_000; number++) addModelUse(uses, `model ${number}`, use)
  assert.ok(uses.size <= 51)
  assert.equal(totalUse(uses).calls, 1_000)
})
