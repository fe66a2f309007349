import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VerdictRule } from './verdict.ts'
import { REASON_CHARS_MAX, type ReasonedEvaluation, reasonOf } from './verdict-reason.ts'

const labels = { pass: 'Good', fail: 'Bad' }
const faithful: VerdictRule = { conditions: [{ field: 'is_faithful', is: true }], labels }

test('tells the first item that the judge rejected, however deep it lies', () => {
  const evidence = {
    sampled: { spans: 3 },
    claims: [
      { item: 'Oslo is in Norway.', verdict: 'supported', reason: 'It says so.' },
      { item: 'Oslo has 9 million people.', verdict: 'not_mentioned', reason: 'No number\n is given.' },
      { item: 'Oslo is in Spain.', verdict: 'contradicted' },
    ],
  }
  const failed = { output: { is_faithful: false }, verdict: 'fail', verdictRule: faithful } as const
  assert.deepEqual(reasonOf({ ...failed, judgement: { evidence } }), {
    claim: 'Oslo has 9 million people.',
    text: 'No number is given.',
    rule: 'is_faithful is false; a pass needs true',
  })
  assert.deepEqual(
    reasonOf({ ...failed, judgement: { evidence: { parts: { second: evidence } } } })?.claim,
    'Oslo has 9 million people.',
  )
  const passed = {
    ...failed,
    output: { is_faithful: true },
    verdict: 'pass',
    judgement: { evidence },
  } as const
  assert.equal(reasonOf(passed), undefined)
})

test('takes the reason beside the field that decides, or the one that is named so', () => {
  const verdictRule: VerdictRule = {
    conditions: [{ field: 'task_score', compare: 'at_least', threshold: 0.5 }],
    labels,
  }
  const output = { step_score: 1, step_reason: 'Quick.', task_score: 0.2, task_reason: 'Nothing was booked.' }
  assert.deepEqual(reasonOf({ output, verdict: 'fail', verdictRule }), {
    text: 'Nothing was booked.',
    rule: 'task_score is 0.2; a pass needs at least 0.5',
  })
  assert.deepEqual(reasonOf({ output: { ok: true, explanation: ' fine ' }, verdict: 'pass' }), {
    text: 'fine',
  })
  assert.deepEqual(reasonOf({ output: { tone_reason: 'calm' }, verdict: 'neutral' }), { text: 'calm' })
})

test('tells what each kind of condition needs', () => {
  const rule = (condition: VerdictRule['conditions'][number], output: ReasonedEvaluation['output'] = {}) =>
    reasonOf({ output, verdict: 'fail', verdictRule: { conditions: [condition], labels } })?.rule
  assert.equal(
    rule({ field: 'tone', oneOf: ['joy', 'calm'] }, { tone: 'anger' }),
    'tone is anger; a pass needs joy or calm',
  )
  assert.equal(
    rule({ field: 'p', compare: 'below', threshold: 2 }, { p: 3 }),
    'p is 3; a pass needs less than 2',
  )
  assert.equal(rule({ field: 'is_safe', is: true }), 'is_safe is missing; a pass needs true')
})

test('tells the message of what was not scored, and nothing where nothing is told', () => {
  assert.deepEqual(reasonOf({ errorMessage: 'The input is too long.' }), { text: 'The input is too long.' })
  assert.equal(reasonOf({}), undefined)
  assert.equal(reasonOf({ output: { char_count: 3 }, verdict: 'neutral' }), undefined)
})

test('bounds what evaluators say', () => {
  const text = reasonOf({ output: { reason: 'x'.repeat(10_000) }, verdict: 'pass' })?.text
  assert.equal(text?.length, REASON_CHARS_MAX)
  let evidence: Record<string, unknown> = { item: 'deep', verdict: 'no' }
  for (let depth = 0; depth < 20; depth++) evidence = { evidence }
  assert.equal(reasonOf({ verdict: 'fail', judgement: { evidence } }), undefined)
})
