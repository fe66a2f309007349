import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'
import { addUnit, emptyUnits, listUnits } from '../../domain/unit-set.ts'
import type { ClaimedWork, Recorded, WorkRecord, WorkStorage } from '../../ports/work-storage.ts'
import { DeadlineCounts } from './deadline-counts.ts'
import { JudgingRun } from './judging-run.ts'

const LEASE_MS = 300_000

function workOf(ordinals: readonly number[], attempt = 1): ClaimedWork {
  const units = emptyUnits(16)
  for (const ordinal of ordinals) addUnit(units, ordinal)
  return { project: 1, monitorVersion: 1, batchId: 7, units, attempt, lease: 5 }
}

const ids = (ordinal: number) => ({ ordinal, traceId: 't', spanId: `s${ordinal}`, unitAtMs: 1 })
const outcome = (ordinal: number) => ({
  ...ids(ordinal),
  status: 'scored' as const,
  output: {},
  durationUs: 1,
})

/** A store that writes down what is recorded and gives these answers, then that everything was new. */
function recorder(...answers: (Recorded | Error)[]) {
  const records: WorkRecord[][] = []
  const recordWork = async (parts: readonly WorkRecord[]) => {
    records.push([...parts])
    const evaluations = parts.reduce((sum, { outcomes }) => sum + outcomes.length, 0)
    const answer = answers.shift() ?? { evaluations, refused: [] }
    if (answer instanceof Error) throw answer
    return answer
  }
  return { records, storage: { recordWork } as unknown as WorkStorage }
}

const shown = (records: readonly WorkRecord[][]) =>
  records
    .flat()
    .map(({ outcomes, left }) => [
      outcomes.map(({ ordinal, status }) => `${ordinal} ${status}`),
      left && { ...left, units: listUnits(left.units) },
    ])

describe('a run of judged work', () => {
  test('records what is finished while the rest is under way, and ends the work with the last unit', async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] })
    const { records, storage } = recorder()
    const run = new JudgingRun([workOf([0, 1, 2])], storage, LEASE_MS, () => {})
    run.onOutcome(0, outcome(0))
    context.mock.timers.tick(500)
    await new Promise((resolve) => setImmediate(resolve))
    run.onOutcome(0, outcome(1))
    run.onSampledOut(0, 2)
    await run.finish()
    assert.deepEqual(shown(records), [
      [['0 scored'], { units: [1, 2], holdMs: LEASE_MS }],
      [['1 scored'], undefined],
    ])
    assert.equal(records[1]?.[0]?.sampledOut, 1)
  })

  test('gives back what was put off, for as long as the provider asks, or twice as long each time', async () => {
    for (const [attempt, retryAfterMs, readyInMs] of [
      [1, undefined, 1_000],
      [3, undefined, 4_000],
      [20, undefined, 60_000],
      [1, 7_500, 7_500],
    ] as const) {
      const { records, storage } = recorder()
      const run = new JudgingRun([workOf([0, 1], attempt)], storage, LEASE_MS, () => {})
      run.onOutcome(0, outcome(0))
      const why = {
        reason: 'unavailable',
        message: 'away',
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      } as const
      run.onPutOff(0, ids(1), why)
      await run.finish()
      assert.deepEqual(shown(records), [[['0 scored'], { units: [1], readyInMs }]])
    }
  })

  test('gives up a unit whose judge was too slow three times, and only then', async () => {
    const deadlines = new DeadlineCounts()
    const late = { reason: 'deadline', message: 'the judge did not answer in time' } as const
    const away = { reason: 'unavailable', message: 'away' } as const
    const left = [[[], { units: [0], readyInMs: 60_000 }]]
    // Calls that an unavailable provider put off do not count against the unit.
    for (const [why, expected] of [
      [away, left],
      [away, left],
      [away, left],
      [late, left],
      [late, left],
      [late, [[['0 error'], undefined]]],
    ] as const) {
      const { records, storage } = recorder()
      const run = new JudgingRun([workOf([0], 20)], storage, LEASE_MS, () => {}, deadlines)
      run.onPutOff(0, ids(0), why)
      await run.finish()
      assert.deepEqual(shown(records), expected)
    }
  })

  test('says so when the work is no longer ours, and records nothing more', async () => {
    const { records, storage } = recorder({ evaluations: 0, refused: [0] })
    const run = new JudgingRun([workOf([0, 1])], storage, LEASE_MS, () => {})
    run.onOutcome(0, outcome(0))
    await run.finish()
    assert.ok(run.signal.aborted)
    await run.finish()
    assert.equal(records.length, 1)
  })

  test('goes on when the units of a part were evaluated before', async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] })
    const { records, storage } = recorder({ evaluations: 0, refused: [] })
    const run = new JudgingRun([workOf([0, 1])], storage, LEASE_MS, () => {})
    run.onOutcome(0, outcome(0))
    context.mock.timers.tick(500)
    await new Promise((resolve) => setImmediate(resolve))
    assert.ok(!run.signal.aborted)
    run.onOutcome(0, outcome(1))
    await run.finish()
    assert.deepEqual(shown(records), [
      [['0 scored'], { units: [1], holdMs: LEASE_MS }],
      [['1 scored'], undefined],
    ])
  })

  test('goes on with the work that is still ours, and records nothing of the other', async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] })
    const { records, storage } = recorder({ evaluations: 1, refused: [0] })
    const run = new JudgingRun([workOf([0]), workOf([1, 2])], storage, LEASE_MS, () => {})
    run.onOutcome(0, outcome(0))
    run.onOutcome(1, outcome(1))
    context.mock.timers.tick(500)
    await new Promise((resolve) => setImmediate(resolve))
    assert.ok(!run.signal.aborted)
    run.onOutcome(1, outcome(2))
    await run.finish()
    assert.deepEqual(shown(records.slice(1)), [[['2 scored'], undefined]])
  })

  test('loses nothing to an outage of the store', async () => {
    const { records, storage } = recorder(new Error('the disk is full'))
    const counted = mock.fn()
    const run = new JudgingRun([workOf([0])], storage, LEASE_MS, counted)
    run.onOutcome(0, outcome(0))
    await assert.rejects(run.finish(), /disk is full/)
    await run.finish()
    assert.deepEqual(shown(records.slice(1)), [[['0 scored'], undefined]])
    assert.deepEqual(
      counted.mock.calls.map(({ arguments: [count] }) => count),
      [1],
    )
  })
})
