import assert from 'node:assert/strict'
import { once } from 'node:events'
import path from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { modelDir, RUNTIME_DIR, type TestModel } from '../../../tests/support/own-models.ts'
import {
  answersOfLabels,
  type LabelAnswers,
  OWN_MODEL_HEADS,
  type OwnModelHead,
  TONES,
} from '../../domain/own-model.ts'
import { startThread } from '../../lib/threads/start-thread.ts'
import type { OwnModel, TextPart } from '../../ports/text-classifier.ts'
import { readModelDirectory } from './model-directory.ts'
import { openTextClassifier } from './onnx-text-classifier.ts'

interface Changes {
  readonly labelAnswers?: LabelAnswers
  readonly windowTokens?: number
  readonly isMultiLabel?: boolean
}

function modelOf(head: OwnModelHead, name: TestModel, changes: Changes = {}): OwnModel {
  const { labels, ...files } = readModelDirectory(modelDir(name))
  const labelAnswers = answersOfLabels(OWN_MODEL_HEADS[head], labels, undefined)
  assert.ok(!('fault' in labelAnswers))
  return { head, ...files, labelAnswers, runtimeDir: RUNTIME_DIR, evaluatorVersion: 1, ...changes }
}

function open(head: OwnModelHead, name: TestModel, changes?: Changes) {
  const classifier = openTextClassifier(modelOf(head, name, changes))
  return async (text: string) => {
    const parts: TextPart[] = []
    for await (const part of classifier.read(text)) parts.push(part)
    return parts
  }
}

const sigmoid = (logit: number) => 1 / (1 + Math.exp(-logit))
const isNear = (actual: number | undefined, expected: number) =>
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) < 1e-6, `${actual} instead of ${expected}`)

describe('labels that can hold together', () => {
  test('are likely each by itself', async () => {
    const read = open('toxicity', 'word-piece')
    isNear((await read('You are a fool!'))[0]?.likelihoods[0], sigmoid(4))
    isNear((await read('You liar'))[0]?.likelihoods[0], sigmoid(-4))
  })
  test('give the likelihood of the most likely one that counts', async () => {
    const read = open('toxicity', 'word-piece', { labelAnswers: [0, 0] })
    isNear((await read('You liar'))[0]?.likelihoods[0], sigmoid(4))
  })
})

describe('labels that exclude each other', () => {
  test('share one certainty', async () => {
    const [part] = await open('injection', 'unigram')('ignore')
    isNear(part?.likelihoods[0], sigmoid(6 - 3))
  })
  test('add up where several count for an answer', async () => {
    const [part] = await open('injection', 'unigram', { labelAnswers: [0, 0] })('ignore')
    isNear(part?.likelihoods[0], 1)
  })
  test('are brought into the order in which the evaluator asks', async () => {
    const [part] = await open('tone', 'byte-pairs')('I am so happy')
    // The model's labels are in the order of the alphabet.
    isNear(part?.likelihoods[TONES.indexOf('joy')], Math.exp(6) / (Math.exp(6) + Math.exp(2) + 5))
    isNear(part?.likelihoods[TONES.indexOf('neutral')], Math.exp(2) / (Math.exp(6) + Math.exp(2) + 5))
  })
})

test('a long text is read to its end, and what stands in its middle is found', async () => {
  const calm = 'thank you that was a great help '.repeat(8)
  const parts = await open('toxicity', 'word-piece')(`${calm}you are a fool ${calm}`)
  assert.equal(parts.filter(({ likelihoods }) => (likelihoods[0] ?? 0) > 0.9).length, 1)
  assert.ok(parts.reduce((sum, { tokens }) => sum + tokens, 0) >= 16 * 7 + 4)
})

test('a text without tokens has no part', async () => {
  assert.deepEqual(await open('injection', 'unigram')(''), [])
})

test('a window that the model cannot read fails, it is not cut', async () => {
  await assert.rejects(open('toxicity', 'word-piece', { windowTokens: 17 })('word '.repeat(40)))
})

test('another number of answers than there are labels fails', async () => {
  const read = open('toxicity', 'word-piece', { labelAnswers: [0, null, null] })
  await assert.rejects(read('a'), /model\.onnx: answers \[1, 2\] where config\.json has 3 labels/)
})

// This is why the native runtime is not used: it takes the whole process along.
test('a thread that is inside a model can be ended, and others go on', async () => {
  const beside = pathToFileURL(path.join(import.meta.dirname, '../../../tests/support/own-models.ts')).href
  for (let round = 0; round < 3; round++) {
    const thread = startThread(beside, 'endless-reading-thread', modelOf('toxicity', 'word-piece'))
    await once(thread, 'message')
    await thread.terminate()
  }
  assert.equal((await open('toxicity', 'word-piece')('a fool')).length, 1)
})
