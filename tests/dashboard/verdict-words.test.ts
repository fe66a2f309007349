import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { summarise } from '../../dashboard/src/pages/traces/score-words.ts'
import type { ShortEvaluation } from '../../dashboard/src/pages/traces/trace-types.ts'
import { changeWords } from '../../dashboard/src/ui/score-change-words.ts'

let lastSpan = 0

function result(evaluator_type: string, rest: Partial<ShortEvaluation>): ShortEvaluation {
  lastSpan += 1
  return {
    id: String(lastSpan),
    evaluator_type,
    external_id: 'setup',
    scope: 'span',
    span_id: String(lastSpan),
    status: 'scored',
    ...rest,
  }
}

const PII = { output: { has_pii: true }, verdict: 'fail', verdict_label: 'Personal data found' } as const
const CLEAN = { output: { has_pii: false }, verdict: 'pass', verdict_label: 'No personal data' } as const

describe('results in a few words', () => {
  test('are the verdict, not the value that it comes from', () => {
    const [pii] = summarise([result('pii-detector', PII)])
    assert.deepEqual([pii?.standing, pii?.words, pii?.value], ['fail', 'Personal data found', undefined])
    assert.equal(pii?.details, 'pii-detector: Personal data found (yes)')
  })

  test('have a number beside the verdict', () => {
    const [faithful] = summarise([
      result('faithfulness', { output: { score: 0.9 }, verdict: 'pass', verdict_label: 'Faithful' }),
    ])
    assert.deepEqual([faithful?.standing, faithful?.words, faithful?.value], ['pass', 'Faithful', '0.9'])
  })

  test('say how many failed of several, and nothing of the ones that passed', () => {
    const [mixed] = summarise([
      result('pii-detector', CLEAN),
      result('pii-detector', PII),
      result('pii-detector', CLEAN),
    ])
    assert.deepEqual([mixed?.standing, mixed?.words], ['fail', 'Personal data found (1 of 3)'])
    const [clean] = summarise([result('pii-detector', CLEAN), result('pii-detector', CLEAN)])
    assert.deepEqual([clean?.standing, clean?.words], ['pass', 'No personal data ×2'])
  })

  test('are the value where the evaluator only counts, and the status where nothing was scored', () => {
    const [counted] = summarise([result('char-count', { output: { char_count: 12 }, verdict: 'neutral' })])
    assert.deepEqual([counted?.standing, counted?.words, counted?.value], ['neutral', '12', undefined])
    const [abstained] = summarise([result('faithfulness', { status: 'abstained' })])
    assert.deepEqual([abstained?.standing, abstained?.words], ['unscored', 'abstained'])
  })

  test('begin with failed verdicts, then errors', () => {
    const order = summarise([
      result('char-count', { output: { char_count: 1 }, verdict: 'neutral' }),
      result('json-validator', { output: { ok: true }, verdict: 'pass', verdict_label: 'Valid JSON' }),
      result('faithfulness', { status: 'error' }),
      result('pii-detector', PII),
    ]).map(({ evaluator }) => evaluator)
    assert.deepEqual(order, ['pii-detector', 'faithfulness', 'json-validator', 'char-count'])
  })
})

describe('the change of a mean', () => {
  const course = { mean: 0.5, previous_mean: 0.53, is_share: true, better: 'higher' } as const

  test('is worse or better by the rule of the evaluator, not by its sign', () => {
    assert.deepEqual(changeWords(course), { words: '3 points worse', tone: 'bad', sign: '▼' })
    assert.deepEqual(changeWords({ ...course, better: 'lower' }), {
      words: '3 points better',
      tone: 'good',
      sign: '▼',
    })
    assert.deepEqual(changeWords({ ...course, mean: 0.54 }), {
      words: '1 point better',
      tone: 'good',
      sign: '▲',
    })
  })

  test('is only higher or lower where neither is good', () => {
    const neutral = { mean: 120, previous_mean: 100, is_share: false, better: null }
    assert.deepEqual(changeWords(neutral), { words: '20 higher', tone: 'quiet', sign: '▲' })
  })

  test('is left out where nothing was scored before, and told as none where it is too small to show', () => {
    assert.equal(changeWords({ ...course, previous_mean: null }), undefined)
    assert.deepEqual(changeWords({ ...course, previous_mean: 0.5001 }), {
      words: 'unchanged',
      tone: 'quiet',
      sign: '',
    })
  })
})
