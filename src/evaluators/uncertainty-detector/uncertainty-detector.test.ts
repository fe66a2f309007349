import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NoVerdict } from '../../domain/no-verdict.ts'
import type { GeneratedText, Judge } from '../../ports/judge.ts'
import { measureUncertainty } from './measure-uncertainty.ts'
import { uncertaintyDetector } from './uncertainty-detector.ts'

/** A model that always gives the same answer. */
function modelSaying(generated: GeneratedText): Judge & { readonly prompts: string[] } {
  const prompts: string[] = []
  return {
    prompts,
    ask: () => assert.fail('nothing is judged here'),
    generate: async (prompt) => {
      prompts.push(prompt)
      return generated
    },
    note: () => undefined,
  }
}

const isUnparseable = (error: unknown) => error instanceof NoVerdict && error.reason === 'unparseable'

describe('uncertainty', () => {
  test('is 1 minus the probability of the least likely token', () => {
    const of = (...probabilities: number[]) =>
      measureUncertainty({ text: 'x', logprobs: probabilities.map((share) => Math.log(share)) })
    assert.equal(of(1, 1), 0)
    assert.ok(Math.abs(of(0.9, 0.25, 0.99) - 0.75) < 1e-12)
    assert.equal(of(0), 1)
  })

  test('stays within 0 and 1 when a provider rounds', () => {
    assert.equal(measureUncertainty({ text: 'x', logprobs: [1e-7] }), 0)
  })

  test('is not known without log-probabilities', () => {
    assert.throws(() => measureUncertainty({ text: 'x', logprobs: [] }), isUnparseable)
    assert.throws(() => measureUncertainty({ text: 'x', logprobs: [-1, Number.NaN] }), isUnparseable)
  })
})

describe('the evaluator', () => {
  const run = (judge: Judge, prompt: string) =>
    uncertaintyDetector.judging?.ask({ input: { prompt }, config: {}, judge })

  test('answers the prompt itself', async () => {
    const model = modelSaying({ text: 'Oslo', logprobs: [Math.log(0.5)] })
    assert.deepEqual(await run(model, 'What is the capital of Norway?'), { answer: 'Oslo', uncertainty: 0.5 })
    assert.deepEqual(model.prompts, ['What is the capital of Norway?'])
  })

  test('refuses an empty prompt and has no embedded judge', async () => {
    await assert.rejects(
      async () => run(modelSaying({ text: '', logprobs: [-1] }), ' '),
      /input\.prompt must not be empty/,
    )
    assert.equal(uncertaintyDetector.judging?.embedded, undefined)
  })
})
