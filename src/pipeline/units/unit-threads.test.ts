import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testId } from '../../../tests/otlp/encode-traces.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { chatSpan, monitorVersion, storedBatch, unitsOf } from '../../../tests/support/scoring.ts'
import { eventually } from '../../../tests/support/spans.ts'
import type { UnitOutcome } from '../../domain/evaluation.ts'
import type { MonitorVersion } from '../../domain/monitor.ts'
import { type StartThread, startThread } from '../../lib/threads/start-thread.ts'
import type { JudgeDesk } from '../../ports/judge.ts'
import type { Storage } from '../../ports/storage.ts'
import type { ClaimedUnit } from '../../ports/unit-storage.ts'
import { JudgingPool } from '../judging/judging-pool.ts'
import { openEvaluationThreads } from '../scoring/evaluation-threads.ts'
import { ScoringPool } from '../scoring/scoring-pool.ts'
import { UnitWorker } from './unit-worker.ts'

/** A thread with the traps among its evaluators. */
const startTrap =
  (name: string): StartThread =>
  (_url, _name, data, limits) =>
    startThread(import.meta.resolve('../../../tests/support/trap-evaluator.ts'), name, data, limits)

/** Evaluates traces of these texts with the real threads; the outcomes by the place of the trace, as they are recorded. */
function evaluate(
  traces: readonly { readonly text: string; readonly version: MonitorVersion }[],
  answer: () => Promise<void>,
) {
  const outcomes = new Map<number, UnitOutcome>()
  const postponed: number[] = []
  const lines: string[] = []
  const logger = recordingLogger(lines)
  const at = ({ monitorVersion: number }: ClaimedUnit) => number - 1
  const units = traces.map(({ version: { number } }) => ({
    ...{ project: 1, scope: 'trace', monitorVersion: number, attempt: 3, changedAtMs: 0 },
    ...{ key: testId(16, number).toString('hex'), owner: { orgId: 'org', projectId: 'project' } },
  }))
  const storage = {
    units: {
      claimUnits: async (limit: number) => units.splice(0, limit) as unknown as ClaimedUnit[],
      async readUnit(unit: ClaimedUnit) {
        const trace = { traceId: unit.key, firstMs: 0, isComplete: true, spanCount: 1, service: 'shop' }
        return { traces: [trace], places: [{ batchId: at(unit), units: unitsOf([0]), traceId: unit.key }] }
      },
      async recordUnit(unit: ClaimedUnit, outcome: UnitOutcome) {
        outcomes.set(at(unit), outcome)
        return true
      },
      postponeUnit: async (unit: ClaimedUnit) => void postponed.push(at(unit)),
    },
    work: {
      readMonitorVersions: async ([number]: number[]) => [traces[(number as number) - 1]?.version],
      readWorkContents: async () => [],
      readWorkBatches: async ([id]: number[]) => {
        const batchId = id as number
        const root = chatSpan(batchId, traces[batchId]?.text ?? '')
        const attributes = { ...root.attributes, 'traceloop.workflow.name': 'refund' }
        return [storedBatch([{ ...root, attributes }], { batchId })]
      },
    },
    findCustomEvaluator: async () => undefined,
  } as unknown as Storage
  const desk = {
    open: () => ({
      async ask() {
        await answer()
        return { length: 1 }
      },
      note() {},
      judgement: { judge: 'openai/m', calls: 1, cachedCalls: 0, promptTokens: 0, completionTokens: 0 },
    }),
  } as unknown as JudgeDesk
  const judging = new JudgingPool(
    startTrap('trap-judging-thread'),
    desk,
    { evaluationMsMax: 300_000, callsMax: 10, silentMsMax: 600_000, heapMbMax: 128 },
    logger,
  )
  const threads = openEvaluationThreads(
    startTrap('trap-evaluation-thread'),
    { threadsMax: 2, heapMbMax: 128 },
    logger,
  )
  const scoring = new ScoringPool(threads, { threadsMax: 1, unitMsMax: 600_000, waitingMax: 10 }, logger)
  const limits = { quietMsMin: 0, waitMsMax: 0 }
  const worker = new UnitWorker({ storage, judging, scoring, clock: { nowMs: () => 1_000 }, logger, limits })
  const close = async () => {
    scoring.close()
    await threads.close()
    await judging.close()
    await worker.close()
  }
  after(close)
  worker.start()
  return { outcomes, postponed, lines, scoring }
}

const judged = (number: number) =>
  monitorVersion('judged-trap', number, {
    scope: 'trace',
    judge: 'openai/m',
    mapping: { text: { from: { field: 'completion' } } },
  })

test('a trace that keeps its thread busy takes no trace down that waits for a judge', async () => {
  const { outcomes, postponed } = evaluate(
    [
      { text: 'hang', version: monitorVersion('trap', 1, { scope: 'trace' }) },
      { text: 'fine', version: judged(2) },
    ],
    async () => {},
  )
  await eventually(
    async () => outcomes.size > 0,
    'the judged trace was scored while the other one never ends',
  )
  assert.deepEqual([...outcomes.keys()], [1])
  assert.equal(outcomes.get(1)?.status, 'scored')
  assert.deepEqual(outcomes.get(1)?.output, { length: 1 })
  assert.deepEqual(postponed, [])
})

test('a trace that asks no provider says so, and one that fails its evaluator or its thread is an error', async () => {
  const { outcomes, lines } = evaluate(
    ['ok', 'exit', 'taint', 'throw'].map((text, at) => ({
      text,
      version: monitorVersion('trap', at + 1, { scope: 'trace' }),
    })),
    () => Promise.reject(new Error('nobody is asked')),
  )
  await eventually(async () => outcomes.size === 4, 'all traces were recorded')
  assert.deepEqual(
    [0, 1, 2, 3].map((at) => [outcomes.get(at)?.status, outcomes.get(at)?.errorMessage]),
    [
      ['scored', undefined],
      ['error', 'the evaluation ended its thread: it ended'],
      ['error', 'invalid input: input.text is too deep'],
      ['error', 'the evaluator failed on this span'],
    ],
  )
  assert.deepEqual(outcomes.get(0)?.output, { length: 2 })
  // The root tells it, and only where it cannot be read the summary of the trace does.
  assert.deepEqual(
    [0, 1, 2, 3].map((at) => outcomes.get(at)?.application),
    ['refund', 'shop', 'refund', 'refund'],
  )
  assert.equal(outcomes.get(0)?.judgement?.calls, 0)
  assert.equal(outcomes.get(0)?.judgement?.judge, undefined)
  assert.ok(lines.some((line) => line.startsWith('error an evaluator failed on a unit')))
})
