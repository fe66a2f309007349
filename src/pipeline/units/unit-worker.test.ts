import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { eventually } from '../../../tests/support/spans.ts'
import type { Storage } from '../../ports/storage.ts'
import type { ClaimedUnit } from '../../ports/unit-storage.ts'
import { JudgingThreadLost, type WholeEnding } from '../judging/judging-pool.ts'
import { UnitWorker } from './unit-worker.ts'

/** Evaluates one unit on its third attempt; what it was postponed with, or recorded as. */
async function evaluate(score: () => Promise<WholeEnding>, record: () => Promise<boolean>) {
  const postponed: (readonly [inMs: number, isAttempt: boolean])[] = []
  const recorded: string[] = []
  const units = [{ scope: 'trace', key: 't', monitorVersion: 1, attempt: 3, changedAtMs: 0, owner: {} }]
  const trace = { traceId: '0'.repeat(32), firstMs: 0, isComplete: true, spanCount: 1 }
  const storage = {
    units: {
      claimUnits: async () => units.splice(0) as unknown as ClaimedUnit[],
      readUnit: async () => ({ traces: [trace], places: [] }),
      async recordUnit(_unit: ClaimedUnit, { status }: { status: string }) {
        recorded.push(status)
        return record()
      },
      postponeUnit: async (_unit: ClaimedUnit, inMs: number, isAttempt: boolean) =>
        void postponed.push([inMs, isAttempt]),
    },
    work: {
      readWorkContents: async () => [],
      readMonitorVersions: async () => [
        { number: 1, slug: 's', samplingRate: 1, evaluatorId: 'e', judge: 'openai/m' },
      ],
    },
    findCustomEvaluator: async () => undefined,
  } as unknown as Storage
  const worker = new UnitWorker({
    storage,
    judging: { scoreWhole: score },
    scoring: { scoreWhole: () => Promise.reject(new Error('the unit asks a provider')) },
    clock: { nowMs: () => 1_000_000 },
    logger: recordingLogger([]),
    limits: { quietMsMin: 0, waitMsMax: 0 },
  })
  worker.start()
  await eventually(async () => postponed.length + recorded.length > 0, 'something came of the unit')
  await worker.close()
  return { postponed, recorded }
}

const scored = { outcome: { status: 'scored' } } as unknown as WholeEnding

test('a store that does not take the result is no attempt at the unit', async () => {
  const { postponed } = await evaluate(
    async () => scored,
    () => Promise.reject(new Error('the disk is full')),
  )
  assert.deepEqual(
    postponed.map(([, isAttempt]) => isAttempt),
    [false],
  )
})

test('a provider that is away is no attempt at the unit', async () => {
  const putOff = { putOff: { reason: 'unavailable', message: 'away' } } as WholeEnding
  const { postponed, recorded } = await evaluate(
    async () => putOff,
    async () => true,
  )
  assert.deepEqual([postponed, recorded], [[[15_000, false]], []])
})

test('a unit that has ended its thread for the third time is given up', async () => {
  const { postponed, recorded } = await evaluate(
    () => Promise.reject(new JudgingThreadLost('out of memory')),
    async () => true,
  )
  assert.deepEqual([postponed, recorded], [[], ['error']])
})
