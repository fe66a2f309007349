import assert from 'node:assert/strict'
import { test } from 'node:test'
import { executeEvaluator } from '../kit/execute-evaluator.ts'
import { perplexity } from './perplexity.ts'

async function scoreOf(logprobs: string): Promise<number> {
  return (await executeEvaluator(perplexity, { logprobs }, undefined))['perplexity_score'] as number
}

for (const [name, logprobs] of [
  ['numbers', '[-1, -3]'],
  ['a skipped first null', '[null, -1, -3]'],
  ['objects', '[{"token":"a","logprob":-1},{"token":"b","logprob":-3}]'],
  ['a chat completion', '{"content":[{"logprob":-1},{"logprob":-3}],"refusal":null}'],
  ['a list of such', '[{"content":[{"logprob":-1}]},{"content":[{"logprob":-3}]}]'],
  ['an old completion', '{"tokens":["x","a","b"],"token_logprobs":[null,-1,-3]}'],
] as const) {
  test(`reads ${name}`, async () => assert.equal(await scoreOf(logprobs), Math.exp(2)))
}

for (const [logprobs, message] of [
  ['[]', 'input.logprobs must contain at least one number'],
  ['[null]', 'input.logprobs must contain at least one number'],
  ['[-1, null]', 'input.logprobs[1] must be a number'],
  ['[-1, "-1"]', 'input.logprobs[1] must be a number'],
  ['[-1, 0.5]', 'input.logprobs[1] must be at most 0: it is the logarithm of a probability'],
  ['[{"logprob": "x"}]', 'input.logprobs[0].logprob must be a number'],
  ['{"content": null}', 'input.logprobs must be an array, or an object with content or token_logprobs'],
  ['5', 'input.logprobs must be an array, or an object with content or token_logprobs'],
  ['[-1', 'input.logprobs is not valid JSON at its end'],
  ['', 'input.logprobs is not valid JSON at its end'],
  ['[NaN]', 'input.logprobs is not valid JSON at position 1 (line 1 column 2)'],
] as const) {
  test(`refuses ${logprobs || 'an empty text'}`, async () => {
    await assert.rejects(scoreOf(logprobs), { message: `invalid input: ${message}` })
  })
}

test('stays finite with sentinels and infinities', async () => {
  assert.equal(await scoreOf('[-9999, -9999]'), Math.exp(100))
  assert.equal(await scoreOf('[-1e999, 0]'), Math.exp(50))
  assert.equal(await scoreOf('[-Infinity, 0]'), Math.exp(50))
})
