import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bucketOf, NgramModel } from './text-model-ngrams.ts'

const BUCKETS = 2 ** 19

/** A model in which only the named features weigh something. */
function modelOf(weights: Readonly<Record<string, number>>, intercept: number): NgramModel {
  const file = new Uint8Array(BUCKETS + 8)
  for (const [feature, weight] of Object.entries(weights)) file[bucketOf(feature)] = weight
  const numbers = new DataView(file.buffer, BUCKETS)
  numbers.setFloat32(0, 0.5, true)
  numbers.setFloat32(4, intercept, true)
  return new NgramModel(file)
}

test('hashes as the training does', () => {
  // From sklearn.utils.murmurhash3_32, whose absolute value modulo the buckets is what its FeatureHasher uses.
  const buckets = {
    wyou: 219271,
    w你好: 173506,
    ab: 10401,
    'wstupid idiot': 517080,
    ' é ': 303326,
    w𝒻x: 314696,
  }
  for (const [feature, bucket] of Object.entries(buckets)) assert.equal(bucketOf(feature), bucket, feature)
})

test('weighs words, pairs of words and letters against the length of all features', () => {
  // "ab cd": two words, one pair, and three pairs, two triples and one quadruple of letters for each word: 15 features.
  const length = Math.sqrt(15)
  const close = (actual: number, expected: number) =>
    assert.ok(Math.abs(actual - expected) < 1e-6, `${actual}`)
  close(modelOf({ wab: 4 }, -1).logitOf(['ab', 'cd']), -1 + 2 / length)
  close(modelOf({ 'wab cd': 4 }, -1).logitOf(['ab', 'cd']), -1 + 2 / length)
  close(modelOf({ 'wcd ab': 4 }, -1).logitOf(['ab', 'cd']), -1)
  close(modelOf({ 'b ': 4, ' cd': 6, ' ab ': -2 }, 0).logitOf(['ab', 'cd']), 4 / length)
})

test('counts a feature as often as it occurs', () => {
  const { abs, sqrt } = Math
  // Two words that are the same: its features twice each, and the pair once.
  assert.ok(abs(modelOf({ wa: 4 }, 0).logitOf(['a', 'a']) - (0.5 * 8) / sqrt(4 * 4 + 1)) < 1e-6)
})

test('nothing to read is what the model starts from', () => assert.equal(modelOf({}, -2.5).logitOf([]), -2.5))
