import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreementOf, PAIRS_MIN } from './agreement.ts'

const repeat = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)
const near = (actual: number | undefined, expected: number) =>
  assert.ok(actual !== undefined && Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`)

test('tells the share and how far it is above chance', () => {
  // The example of Cohen's kappa that textbooks use: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no.
  const agreement = agreementOf('boolean', [
    ...repeat(20, { judge: true, human: true }),
    ...repeat(5, { judge: true, human: false }),
    ...repeat(10, { judge: false, human: true }),
    ...repeat(15, { judge: false, human: false }),
  ])
  near(agreement?.share, 0.7)
  near(agreement?.kappa, 0.4)
  assert.deepEqual(Object.keys(agreement ?? {}), ['share', 'kappa'])
})

test('has no kappa where both always say the same', () => {
  assert.deepEqual(agreementOf('boolean', repeat(10, { judge: true, human: true })), { share: 1 })
})

test('compares labels as they are', () => {
  const agreement = agreementOf('label', [
    ...repeat(5, { judge: 'calm', human: 'calm' }),
    ...repeat(5, { judge: 'angry', human: 'Angry' }),
  ])
  near(agreement?.share, 0.5)
})

test('correlates numbers', () => {
  const pairs = Array.from({ length: 10 }, (_, at) => ({ judge: at, human: 2 * at + 1 }))
  const agreement = agreementOf('number', pairs)
  near(agreement?.correlation, 1)
  near(agreement?.meanDifference, 5.5)
  near(
    agreementOf(
      'number',
      pairs.map(({ judge, human }) => ({ judge, human: -human })),
    )?.correlation,
    -1,
  )
})

test('has no correlation where one side always says the same', () => {
  const agreement = agreementOf(
    'number',
    Array.from({ length: 10 }, (_, at) => ({ judge: 3, human: at })),
  )
  assert.equal(agreement?.correlation, undefined)
  near(agreement?.meanDifference, 2.7)
})

test('says nothing about too few pairs', () => {
  const pairs = repeat(PAIRS_MIN - 1, { judge: true, human: true })
  assert.equal(agreementOf('boolean', pairs), undefined)
})
