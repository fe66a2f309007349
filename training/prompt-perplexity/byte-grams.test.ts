import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SmoothedGrams, smoothedGrams } from './byte-grams.ts'

const TEXT = new TextEncoder().encode(
  'the cat sat on the mat and the dog sat on the cat while the rat ran to the hat in the dark at the end of the day',
)

/** The probability of a byte after a context, by the definition of the model: the longest context that knows the byte. */
function probability({ costs, backoffs }: SmoothedGrams, context: readonly number[], byte: number): number {
  const gram = [...context, byte].reduce((number, digit) => number * 256 + digit, 0)
  const known = costs[context.length + 1]?.get(gram)
  if (known !== undefined) return 2 ** -known
  const leaving = backoffs[context.length]?.get(Math.floor(gram / 256)) ?? 0
  if (context.length === 0) return 2 ** -leaving / 256
  return 2 ** -leaving * probability({ costs, backoffs }, context.slice(1), byte)
}

for (const leastCounts of [[], [0, 1, 1, 2, 2, 3, 4]]) {
  test(`the probabilities after any context sum to one, least counts ${leastCounts}`, () => {
    const grams = smoothedGrams(TEXT, leastCounts)
    for (const context of ['', 't', 'th', ' the ', 'he ca', 'zzz', 'at sa', 'xthe ']) {
      const bytes = [...new TextEncoder().encode(context)]
      const all = Array.from({ length: 256 }, (_, byte) => probability(grams, bytes, byte))
      const sum = all.reduce((total, one) => total + one, 0)
      assert.ok(Math.abs(sum - 1) < 1e-9, `after "${context}" they sum to ${sum}`)
    }
  })
}

test('what followed in the text is likelier than what did not', () => {
  const grams = smoothedGrams(TEXT, [])
  const after = [...new TextEncoder().encode(' the ')]
  assert.ok(probability(grams, after, 'c'.charCodeAt(0)) > 10 * probability(grams, after, 'q'.charCodeAt(0)))
})

test('a gram that is kept begins and ends with grams that are kept', () => {
  const { costs } = smoothedGrams(TEXT, [0, 1, 2, 2, 3, 3, 2])
  for (let length = 2; length < costs.length; length++) {
    for (const gram of costs[length]?.keys() ?? []) {
      assert.ok(costs[length - 1]?.has(Math.floor(gram / 256)))
      assert.ok(costs[length - 1]?.has(gram % 256 ** (length - 1)))
    }
  }
})
