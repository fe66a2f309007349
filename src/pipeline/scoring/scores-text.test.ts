import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UnitOutcome } from '../../domain/evaluation.ts'
import { readScores, writeScores } from './scores-text.ts'

test('scores are read as they were written, whatever is known of their spans', () => {
  const outcome = (ordinal: number, rest: Partial<UnitOutcome>): UnitOutcome => ({
    ...{ ordinal, traceId: `trace ${ordinal}`, spanId: `span ${ordinal}`, unitAtMs: ordinal, durationUs: 5 },
    ...{ status: 'scored', output: { v: ordinal } },
    ...rest,
  })
  const failed = { status: 'missing_input', errorMessage: 'no text', awaitsContent: true } as const
  const { output: _none, ...missing } = outcome(3, { ...failed, application: 'bank' })
  const part = {
    upTo: 4,
    usedMs: [1, 2],
    scores: [
      {
        outcomes: [
          outcome(0, {}),
          outcome(1, { sessionId: 'talk' }),
          outcome(2, { sessionId: 'talk', application: 'shop' }),
          missing,
        ],
        ...{ sampledOut: 1, skipped: 0, lost: 0 },
      },
      {
        outcomes: [outcome(2, { sessionId: 'talk', application: 'shop' })],
        ...{ sampledOut: 0, skipped: 2, lost: 1, lossReason: 'gone' },
      },
    ],
  }
  assert.deepEqual(readScores(writeScores(part)), part)
})
