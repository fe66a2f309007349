import assert from 'node:assert/strict'
import { test } from 'node:test'
import { executeEvaluator } from '../kit/execute-evaluator.ts'
import { semanticSimilarity } from './semantic-similarity.ts'

async function similarity(completion: string, reference: string): Promise<number> {
  const { similarity_score } = await executeEvaluator(
    semanticSimilarity,
    { completion, reference },
    undefined,
  )
  return Number(similarity_score)
}

for (const { name, input, output } of semanticSimilarity.examples) {
  test(name, async () => {
    const score = await similarity(input.completion, input.reference)
    assert.ok(Math.abs(score - output.similarity_score) < 0.01, `${score}`)
  })
}

for (const [text, same, other] of [
  ['How old are you?', 'What is your age?', 'Where do you live?'],
  ['The flight was cancelled.', 'They called off the flight.', 'The flight attendant brought coffee.'],
  ['How do I reset my password?', 'I forgot my login, what now?', 'How do I bake bread?'],
  ['The company made a profit.', 'The firm earned money.', 'The dog chased the ball.'],
] as const) {
  test(`${text} is closer to "${same}" than to "${other}"`, async () => {
    assert.ok((await similarity(text, same)) > (await similarity(text, other)) + 0.1)
  })
}

test('a text is the same as itself, whatever its length and order', async () => {
  const long = 'The committee met on Monday and agreed on the budget. '.repeat(60)
  for (const text of ['Yes.', long]) assert.equal(await similarity(text, text), 1)
  assert.equal(await similarity('Yes.', 'No.'), await similarity('No.', 'Yes.'))
})

test('an empty text is like another empty one and like nothing else', async () => {
  assert.equal(await similarity('', ' '), 1)
  assert.equal(await similarity('', 'Hello'), 0)
  assert.equal(await similarity('Hello', ''), 0)
})

test('refuses texts that are too long together', async () => {
  await assert.rejects(similarity('a'.repeat(30_000), 'a'.repeat(30_000)), {
    kind: 'too_large',
    message: 'input.completion and input.reference must have at most 51200 characters together',
  })
})
