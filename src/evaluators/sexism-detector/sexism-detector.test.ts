import assert from 'node:assert/strict'
import { test } from 'node:test'
import { executeEvaluator } from '../kit/execute-evaluator.ts'
import { sexismDetector } from './sexism-detector.ts'

const check = (text: string, config?: object) => executeEvaluator(sexismDetector, { text }, config)

for (const { name, input, output } of sexismDetector.examples) {
  test(name, async () => assert.deepEqual(await check(input.text), output))
}

for (const text of [
  'Girls cannot do math.',
  'She only got the job because of her looks.',
  'A woman belongs in the kitchen, not in an office.',
  'Men are trash.',
]) {
  test(`is sexist: ${text}`, async () => assert.deepEqual(await check(text), { is_safe: false }))
}

for (const text of [
  '',
  'My wife is a doctor.',
  "The women's final starts at eight.",
  'You are an idiot.',
  'Women deserve equal pay.',
  'More women than men finish school.',
  'The men and the women of the village rebuilt the bridge.',
  'Die Frauen haben gewonnen.',
]) {
  test(`is fair: ${JSON.stringify(text)}`, async () => assert.deepEqual(await check(text), { is_safe: true }))
}

test('follows the threshold', async () => {
  assert.deepEqual(await check('Girls cannot do math.', { threshold: 1 }), { is_safe: true })
  assert.deepEqual(await check('Good morning.', { threshold: 0 }), { is_safe: false })
})

test('refuses a text that is too long to be read', async () => {
  await assert.rejects(check('a'.repeat(51_201)), { kind: 'too_large' })
})
