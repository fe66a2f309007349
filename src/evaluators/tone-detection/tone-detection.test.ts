import assert from 'node:assert/strict'
import { test } from 'node:test'
import { executeEvaluator } from '../kit/execute-evaluator.ts'
import { toneDetection } from './tone-detection.ts'

const check = (text: string) => executeEvaluator(toneDetection, { text }, undefined)

for (const { name, input, output } of toneDetection.examples) {
  test(name, async () => {
    const { tone, score } = await check(input.text)
    assert.equal(tone, output.tone)
    assert.ok(Math.abs(Number(score) - output.score) < 0.01, `${score}`)
  })
}

for (const [tone, text] of [
  ['anger', 'I am furious, this is the third time it broke!'],
  ['sadness', 'My grandmother died last night and I feel empty.'],
  ['fear', 'I am scared of what the doctor will say.'],
  ['surprise', 'Wow, I never expected to see you here!'],
  ['disgust', 'There was a hair in my soup, yuck.'],
  ['neutral', 'Your order has shipped and will arrive on Monday.'],
  ['neutral', 'To install it, run npm install.'],
] as const) {
  test(`hears ${tone} in: ${text}`, async () => assert.equal((await check(text)).tone, tone))
}

test('an empty text is neutral', async () =>
  assert.deepEqual(await check(' '), { tone: 'neutral', score: 1 }))

test('a long text has the tone of most of it', async () => {
  const text = `${'I am so happy, this is wonderful! '.repeat(150)}${'I am furious about the printer! '.repeat(20)}`
  assert.equal((await check(text)).tone, 'joy')
})

test('refuses a text that is too long to be read', async () => {
  await assert.rejects(check('a'.repeat(51_201)), { kind: 'too_large' })
})
