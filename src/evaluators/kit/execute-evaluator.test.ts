import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { type AnyEvaluator, defineEvaluator } from './define-evaluator.ts'
import { executeBody, executeEvaluator } from './execute-evaluator.ts'
import { noConfig, text } from './fields.ts'
import { NEUTRAL } from './verdict-rule.ts'

function evaluatorThatAnswers(answer: unknown): AnyEvaluator {
  return defineEvaluator({
    slug: 'test',
    summary: 'Answer what it is told.',
    method: 'exact',
    input: z.object({ text: text('Anything.') }),
    config: noConfig,
    output: z.object({ score: z.number().describe('A number.') }),
    defaultScope: 'span',
    verdict: NEUTRAL,
    fromSpan: { text: 'completion' },
    examples: [],
    evaluate: () => answer as { score: number },
  })
}

for (const answer of [
  { score: Number.NaN },
  { score: Number.POSITIVE_INFINITY },
  { score: null },
  {},
  null,
]) {
  test(`never lets ${JSON.stringify(answer)} out, and blames nobody outside for it`, async () => {
    await assert.rejects(
      executeEvaluator(evaluatorThatAnswers(answer), { text: '' }, undefined),
      (error: Error) => {
        assert.notEqual(error.name, 'PublicError')
        return true
      },
    )
  })
}

test('answers with the output fields and nothing else', async () => {
  const evaluator = evaluatorThatAnswers({ score: 1, secret: 'x' })
  assert.deepEqual(await executeEvaluator(evaluator, { text: '' }, undefined), { score: 1 })
})

test('reads input and config from a body', async () => {
  const evaluator = evaluatorThatAnswers({ score: 1 })
  assert.deepEqual(await executeBody(evaluator, Buffer.from('{"input":{"text":"a"}}')), { score: 1 })
  await assert.rejects(executeBody(evaluator, Buffer.from('[]')), {
    message: 'invalid input: body must be an object',
  })
  const withNull = Buffer.from('{"input":{"text":"a"},"config":null}')
  assert.deepEqual(await executeBody(evaluator, withNull), { score: 1 }, 'null is absent')
  await assert.rejects(executeBody(evaluator, Buffer.from('{"input":{"text":"a"},"config":7}')), {
    message: 'invalid input: config must be an object',
  })
})
