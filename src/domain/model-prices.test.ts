import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isProvider, parseModelName } from './judgement.ts'
import prices from './model-prices.json' with { type: 'json' }
import { estimateTokens, ModelPrices, parsePrices } from './model-prices.ts'

const USAGE = { promptTokens: 1_000, completionTokens: 100 }

test('a cost is tokens times price, in millionths of a dollar', () => {
  assert.equal(new ModelPrices().costOf(parseModelName('openai/gpt-4o'), USAGE), 3_500)
})

test('a dated name costs what its model costs, and a longer name is another model', () => {
  const table = new ModelPrices()
  const cost = (name: string) => table.costOf(parseModelName(name), USAGE)
  assert.equal(cost('openai/gpt-4o-2024-08-06'), 3_500)
  assert.equal(cost('anthropic/claude-3-5-haiku-20241022'), cost('anthropic/claude-3-5-haiku-latest'))
  assert.equal(cost('openai/gpt-4o-audio-preview'), undefined)
})

test('an unknown model, or an unknown number of tokens, has no cost', () => {
  const table = new ModelPrices()
  assert.equal(table.costOf(parseModelName('openai/nobody-knows'), USAGE), undefined)
  assert.equal(table.costOf(parseModelName('openai/gpt-4o'), { promptTokens: 5 }), undefined)
  assert.equal(table.costOf({ provider: 'constructor', model: 'x' }, USAGE), undefined)
})

test('own prices win and add, also a price of 0', () => {
  const own = parsePrices(
    '{"openai/gpt-4o": {"input": 1, "output": 0}, "openai/local": {"input": 0, "output": 0}}',
  )
  const table = new ModelPrices(own)
  assert.equal(table.costOf(parseModelName('openai/gpt-4o'), USAGE), 1_000)
  assert.equal(table.costOf(parseModelName('local'), USAGE), 0)
  assert.equal(table.costOf(parseModelName('openai/gpt-4.1'), USAGE), 2_800)
})

test('bad prices name the place', () => {
  assert.throws(() => parsePrices('{'), /not valid JSON/)
  assert.throws(() => parsePrices('{"openai/x": {"input": -1, "output": 1}}'), /openai\/x\.input/)
  assert.throws(() => parsePrices('{"openai/x": {"input": 1}}'), /openai\/x\.output/)
  assert.throws(() => parsePrices('{"x": {"input": 1, "output": 1}}'), /a name like openai\/gpt-4o/)
})

test('the prices that come with the service are of known providers and dated', () => {
  assert.match(prices.writtenOn, /^\d{4}-\d{2}-\d{2}$/)
  parsePrices(JSON.stringify(prices.prices))
  for (const name of Object.keys(prices.prices)) assert.ok(isProvider(name.split('/')[0] ?? ''), name)
})

test('an estimate grows with the bytes of a text, so that no language is underrated', () => {
  assert.equal(estimateTokens(['abc', 'def']), 2)
  assert.equal(estimateTokens(['東京']), 2)
})
