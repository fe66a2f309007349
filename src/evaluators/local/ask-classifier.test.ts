import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TextClassifier, TextPart } from '../../ports/text-classifier.ts'
import { likelihoodOf, meanLikelihoods } from './ask-classifier.ts'

/** A model that makes these parts of every text, and how many of them were asked for. */
function answering(...parts: readonly TextPart[]) {
  const asked = { parts: 0 }
  const classifier: TextClassifier = {
    async *read() {
      for (const part of parts) {
        asked.parts++
        yield part
      }
    },
  }
  return { classifier, asked }
}

const part = (tokens: number, ...likelihoods: number[]): TextPart => ({ tokens, likelihoods })

test('the most suspicious part of a text decides, wherever it stands', async () => {
  const { classifier } = answering(part(9, 0.1), part(9, 0.7), part(9, 0.2))
  assert.equal(await likelihoodOf(classifier, 'text', 0.9), 0.7)
})

test('reading stops at the first part that is enough', async () => {
  const { classifier, asked } = answering(part(9, 0.1), part(9, 0.5), part(9, 0.9))
  assert.equal(await likelihoodOf(classifier, 'text', 0.5), 0.5)
  assert.equal(asked.parts, 2)
})

test('every token counts alike in the mean', async () => {
  const { classifier } = answering(part(30, 0.8, 0.2), part(10, 0, 1))
  const [left = 0, right = 0] = (await meanLikelihoods(classifier, 'text')) ?? []
  assert.ok(Math.abs(left - 0.6) < 1e-12 && Math.abs(right - 0.4) < 1e-12)
})

test('a text without tokens is not suspicious and has no mean', async () => {
  const { classifier } = answering()
  assert.equal(await likelihoodOf(classifier, '', 0.5), 0)
  assert.equal(await meanLikelihoods(classifier, ''), undefined)
})
