import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnnotationValue } from '../domain/annotation.ts'
import type { EvaluationOutput } from '../domain/evaluation.ts'
import type { VerdictPair } from '../ports/annotation-storage.ts'
import { compareVerdicts } from './judge-agreement.ts'

function pairs(count: number, name: string, value: AnnotationValue, output: EvaluationOutput): VerdictPair[] {
  const annotation = {
    number: 1,
    envProjectId: 'e',
    createdAtMs: 0,
    traceId: 't',
    name,
    value,
    source: 'human',
  } as const
  return Array.from({ length: count }, () => ({ annotation, output }))
}

test('holds a score against the field that has its name, or else the first of its kind', () => {
  const output = { is_safe: true, is_polite: false, score: 0.5, label: 'calm' }
  const { properties, incomparable } = compareVerdicts([
    ...pairs(12, 'is_polite', true, output),
    ...pairs(11, 'thumb', true, output),
    ...pairs(10, 'stars', 0.5, output),
    ...pairs(3, 'mood', 'angry', output),
  ])
  assert.deepEqual(properties, [
    { property: 'is_polite', kind: 'boolean', pairs: 12, agreement: { share: 0, kappa: 0 } },
    { property: 'is_safe', kind: 'boolean', pairs: 11, agreement: { share: 1 } },
    { property: 'score', kind: 'number', pairs: 10, agreement: { meanDifference: 0 } },
    { property: 'label', kind: 'label', pairs: 3 },
  ])
  assert.equal(incomparable, 0)
})

test('counts what cannot be compared and compares nothing else in its place', () => {
  const output = { is_safe: true, score: 0.5 }
  const { properties, incomparable } = compareVerdicts([
    ...pairs(1, 'score', true, output),
    ...pairs(1, 'mood', 'calm', output),
    ...pairs(1, 'tones', ['calm'], output),
  ])
  assert.deepEqual([properties, incomparable], [[], 3])
})

test('holds a review against the verdict and not against a field of the output', () => {
  const said = pairs(10, '$verdict', true, { has_pii: false })
  const judged = said.map((pair, at) => ({
    ...pair,
    verdict: at < 6 ? ('pass' as const) : ('fail' as const),
  }))
  const neutral = { ...(said[0] as VerdictPair), verdict: 'neutral' as const }
  assert.deepEqual(compareVerdicts([...judged, neutral]), {
    properties: [{ property: '$verdict', kind: 'boolean', pairs: 10, agreement: { share: 0.6, kappa: 0 } }],
    incomparable: 1,
  })
})
