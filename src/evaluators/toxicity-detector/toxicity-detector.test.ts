import assert from 'node:assert/strict'
import { test } from 'node:test'
import { executeEvaluator } from '../kit/execute-evaluator.ts'
import { toxicityDetector } from './toxicity-detector.ts'

const check = (text: string, config?: object) => executeEvaluator(toxicityDetector, { text }, config)
const SAFE = { is_safe: true, is_toxic: false }
const TOXIC = { is_safe: false, is_toxic: true }
const CALM = 'The library opens at nine and closes at five, and the café next door sells bread. '

for (const { name, input, output } of toxicityDetector.examples) {
  test(name, async () => assert.deepEqual(await check(input.text), output))
}

for (const text of [
  'Shut up, you moron.',
  'I will find you and hurt you.',
  'Immigrants are ruining our country, throw them out',
  'you are such a worthless piece of shit',
]) {
  test(`is toxic: ${text}`, async () => assert.deepEqual(await check(text), TOXIC))
}

for (const text of [
  '',
  'How do I kill a process in Linux?',
  'The package arrived late and I am disappointed.',
  'Gay marriage is legal in Spain.',
  'Scunthorpe is a town in England.',
  'Das ist ein schöner Tag und ich gehe in den Park.',
  '这是一个美好的一天。',
  'Сегодня хорошая погода, пойдём гулять.',
]) {
  test(`is safe: ${JSON.stringify(text)}`, async () => assert.deepEqual(await check(text), SAFE))
}

test('reads a long text to its end', async () => {
  const long = CALM.repeat(100)
  assert.deepEqual(await check(long), SAFE)
  assert.deepEqual(await check(`${long}You are an idiot and nobody likes you.`), TOXIC)
})

test('follows the threshold', async () => {
  assert.deepEqual(await check('You are an idiot.', { threshold: 1 }), SAFE)
  assert.deepEqual(await check('Good morning.', { threshold: 0 }), TOXIC)
})

test('refuses a text that is too long to be read', async () => {
  await assert.rejects(check('a'.repeat(51_201)), {
    kind: 'too_large',
    message: 'input.text must have at most 51200 characters',
  })
})
