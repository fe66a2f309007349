import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UnitOutcome } from '../../src/domain/evaluation.ts'
import type { MonitorPlan } from '../../src/domain/monitor.ts'
import { learnPause } from '../../src/domain/quiet-time.ts'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import type { TraceDigest } from '../../src/domain/trace-digest.ts'
import { addUnit, emptyUnits } from '../../src/domain/unit-set.ts'
import { NEUTRAL } from '../../src/evaluators/kit/verdict-rule.ts'
import type { Storage } from '../../src/ports/storage.ts'
import type { ClaimedUnit } from '../../src/ports/unit-storage.ts'
import {
  AT_MS,
  charCount,
  create,
  nextId,
  rule,
  type StorageHarness,
  storeWithTenant,
} from './contract-fixtures.ts'
import { admit, packed } from './span-fixtures.ts'

const LEASE_MS = 60_000

const planOf = (scope: 'trace' | 'session'): MonitorPlan => ({
  ...charCount,
  evaluatorVersion: 1,
  scope,
  config: {},
  mapping: { text: { from: { field: 'completion' } } },
  samplingRate: 1,
})

const traceIdOf = (name: string) => Buffer.from(name.padEnd(16, '.')).toString('hex')

/** Binds the setup named `s` to a monitor of that scope. */
async function bind(storage: Storage, scope: 'trace' | 'session' = 'trace'): Promise<void> {
  const [claim] = await storage.work.claimSetups(10, LEASE_MS, Number.MAX_SAFE_INTEGER)
  assert.ok(claim)
  const entries = [{ slug: 'char-count', plan: planOf(scope), newMonitorId: nextId(), verdictRule: NEUTRAL }]
  await storage.work.finishSetup(claim, { status: 'completed', entries, lookedThrough: 0, atMs: AT_MS })
}

/** Stores one span that matches everything, as a part of a trace. */
async function arrive(
  storage: Storage,
  tenant: EnvironmentTenant,
  span: string,
  trace: string,
  { isMatching = true, ...rest }: Partial<TraceDigest> & { isMatching?: boolean } = {},
): Promise<void> {
  const { batchId } = await admit(storage, tenant, await packed(storage, tenant, [span], isMatching))
  await sumUpOne(storage, batchId, trace, rest)
}

/** Sums up a batch of one span of a trace. */
async function sumUpOne(
  storage: Storage,
  batchId: number,
  trace: string,
  rest: Partial<TraceDigest> = {},
): Promise<void> {
  const units = emptyUnits(1)
  addUnit(units, 0)
  const { after } = await storage.digest.readUndigested(10)
  const digest: TraceDigest = {
    ...{ traceId: traceIdOf(trace), units, spanCount: 1, errorCount: 0, firstMs: AT_MS, lastMs: AT_MS + 1 },
    ...{ modelCalls: 0, promptTokens: 0, completionTokens: 0, models: new Map(), isComplete: false },
    ...rest,
  }
  assert.ok(await storage.digest.recordDigests(after, [{ batchId, traces: [digest], usage: [] }], 0))
}

const keysOf = (units: readonly ClaimedUnit[]) =>
  units.map(({ scope, key }) =>
    scope === 'trace' ? Buffer.from(key, 'hex').toString().replaceAll('.', '') : `session ${key}`,
  )

function outcomeOf(unit: ClaimedUnit, score: number): UnitOutcome {
  return {
    ordinal: 0,
    traceId: unit.scope === 'trace' ? unit.key : traceIdOf('t'),
    spanId: unit.scope === 'trace' ? '' : 'ab'.repeat(16),
    unitAtMs: AT_MS,
    status: 'scored',
    output: { char_count: score },
    durationUs: 1,
  }
}

/** A store with one trace, `t`, that a bound monitor has to evaluate. */
async function storeWithUnit(harness: StorageHarness) {
  const { storage, tenant } = await storeWithTenant(harness)
  await create(storage, tenant, 's', { evaluators: [charCount] })
  await arrive(storage, tenant, 'a', 't')
  await bind(storage)
  return { storage, tenant }
}

/** The promises of every store about traces and sessions that are evaluated as a whole. */
export function describeUnits(harness: StorageHarness): void {
  test('makes a unit of each trace that matched, before and after its monitor was bound, and no work', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 's', { evaluators: [charCount] })
    await arrive(storage, tenant, 'a', 'before')
    await arrive(storage, tenant, 'x', 'other', { isMatching: false })
    await bind(storage)
    await arrive(storage, tenant, 'b', 'after')
    await arrive(storage, tenant, 'c', 'after')
    assert.deepEqual(keysOf(await storage.units.claimUnits(10, LEASE_MS)).toSorted(), ['after', 'before'])
    assert.deepEqual(await storage.units.claimUnits(10, LEASE_MS), [], 'they are held')
    assert.deepEqual(await storage.work.claimWork('local', 10, LEASE_MS), [])
    assert.deepEqual(await storage.work.sweep(), { missingWork: 0, staleLeases: 0 })
  })

  test('reads what a unit is made of', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 's', { evaluators: [charCount] })
    await arrive(storage, tenant, 'a', 'one', { sessionId: 'talk' })
    await arrive(storage, tenant, 'b', 'two', { sessionId: 'talk', firstMs: AT_MS + 5, service: 'shop' })
    await arrive(storage, tenant, 'c', 'alone')
    await bind(storage, 'session')
    const units = await storage.units.claimUnits(10, LEASE_MS)
    assert.deepEqual(keysOf(units).toSorted(), ['alone', 'session talk'])
    const talk = units.find((unit) => unit.scope === 'session')
    assert.ok(talk)
    const { orgId, projectId, envProjectId } = tenant
    assert.deepEqual(
      { orgId: talk.owner.orgId, projectId: talk.owner.projectId, envProjectId: talk.owner.envProjectId },
      { orgId, projectId, envProjectId },
    )
    const { traces, places } = await storage.units.readUnit(talk, 10, 10)
    assert.deepEqual(
      traces.map(({ traceId }) => traceId),
      [traceIdOf('one'), traceIdOf('two')],
    )
    assert.deepEqual(
      places.map(({ traceId }) => traceId),
      [traceIdOf('one'), traceIdOf('two')],
    )
    assert.deepEqual(
      (await storage.units.readUnit(talk, 1, 10)).traces.map(({ traceId }) => traceId),
      [traceIdOf('two')],
      'the newest of too many',
    )
  })

  test('records a unit once; a span that comes later opens it again, and the new result supersedes', async () => {
    const { storage, tenant } = await storeWithUnit(harness)
    const [unit] = await storage.units.claimUnits(10, LEASE_MS)
    assert.ok(unit)
    assert.equal(await storage.units.recordUnit(unit, outcomeOf(unit, 3)), true)
    assert.equal(await storage.units.recordUnit(unit, outcomeOf(unit, 3)), false)
    assert.deepEqual(await storage.units.claimUnits(10, LEASE_MS), [])
    // Also a span that the setup itself does not match belongs to the trace.
    await arrive(storage, tenant, 'b', 't', { isMatching: false })
    const [again] = await storage.units.claimUnits(10, LEASE_MS)
    assert.ok(again)
    await storage.units.recordUnit(again, outcomeOf(again, 8))
    const list = async (withHistory: boolean) =>
      (
        await storage.listEvaluations(tenant, { withHistory }, { order: 'newest', limit: 10 })
      ).evaluations.map(({ status, generation, output, spanId }) => [
        status,
        generation,
        output?.['char_count'],
        spanId,
      ])
    assert.deepEqual(await list(false), [['scored', 2, 8, undefined]])
    assert.deepEqual(await list(true), [
      ['scored', 2, 8, undefined],
      ['superseded', 1, 3, undefined],
    ])
    const [monitor] = await storage.listMonitors(tenant, {}, { limit: 10 })
    assert.deepEqual(monitor?.counts, { scored: 1 })
  })

  test('opens a unit again that got a span while it was evaluated', async () => {
    const { storage } = await storeWithUnit(harness)
    const [unit] = await storage.units.claimUnits(10, LEASE_MS)
    assert.ok(unit)
    // All spans of these tests arrive at the same time; the unit was claimed before the last of them.
    const early = { ...unit, changedAtMs: unit.changedAtMs - 1 }
    assert.equal(await storage.units.recordUnit(early, outcomeOf(unit, 3)), true)
    assert.equal((await storage.units.claimUnits(10, LEASE_MS)).length, 1)
  })

  test('makes a unit of a trace that is summed up while its setup is applied again', async () => {
    const { storage, tenant } = await storeWithUnit(harness)
    const [first] = await storage.units.claimUnits(10, LEASE_MS)
    assert.ok(first)
    await storage.units.recordUnit(first, outcomeOf(first, 3))
    const { batchId } = await admit(storage, tenant, await packed(storage, tenant, ['b'], true))
    // The same file again: the monitor stands still until it is bound, and what arrived before is summed up meanwhile.
    await storage.upsertSetups(
      tenant,
      [{ id: nextId(), externalId: 's', change: { evaluators: [charCount] } }],
      AT_MS,
    )
    await sumUpOne(storage, batchId, 'late')
    assert.deepEqual(await storage.units.claimUnits(10, LEASE_MS), [], 'the monitor stands still')
    await bind(storage)
    assert.deepEqual(keysOf(await storage.units.claimUnits(10, LEASE_MS)), ['late'])
  })

  test('goes on from the last evaluation of a unit that retention has dropped before its evaluation', async () => {
    const { storage, tenant } = await storeWithUnit(harness)
    const [first] = await storage.units.claimUnits(10, LEASE_MS)
    assert.ok(first)
    assert.equal(await storage.units.recordUnit(first, outcomeOf(first, 3)), true)
    // The spans are from January, the evaluation is from now.
    while (await storage.work.dropExpired(AT_MS + 800 * 3_600_000, 720));
    await arrive(storage, tenant, 'b', 't')
    const [again] = await storage.units.claimUnits(10, LEASE_MS)
    assert.ok(again)
    assert.equal(await storage.units.recordUnit(again, outcomeOf(again, 4)), true)
    const { evaluations } = await storage.listEvaluations(tenant, {}, { limit: 10, order: 'newest' })
    assert.deepEqual(
      evaluations.map(({ generation, output }) => [generation, output]),
      [[2, { char_count: 4 }]],
    )
  })

  test('gives a unit back for later, lets nobody publish whose lease has run out, and leaves out what is sampled out', async () => {
    const { storage, tenant } = await storeWithUnit(harness)
    const [slow] = await storage.units.claimUnits(10, 0)
    const [fast] = await storage.units.claimUnits(10, LEASE_MS)
    assert.ok(slow && fast)
    assert.equal(fast.attempt, 2)
    assert.equal(await storage.units.recordUnit(slow, outcomeOf(slow, 1)), false)
    await storage.units.postponeUnit(fast, 600_000, true)
    assert.deepEqual(await storage.units.claimUnits(10, LEASE_MS), [])
    await arrive(storage, tenant, 'b', 't')
    const [third] = await storage.units.claimUnits(10, LEASE_MS)
    assert.equal(third?.attempt, 1, 'a new span is a new beginning')
    await storage.units.skipUnit(third as ClaimedUnit, AT_MS)
    assert.deepEqual(await storage.units.claimUnits(10, LEASE_MS), [])
    const [monitor] = await storage.listMonitors(tenant, {}, { limit: 10 })
    assert.deepEqual(monitor?.counts, { sampled_out: 1 })
  })

  test('cancels the units of a setup that was changed, and takes none of a deleted one', async () => {
    const { storage, tenant } = await storeWithUnit(harness)
    const [held] = await storage.units.claimUnits(10, LEASE_MS)
    assert.ok(held)
    await storage.deleteSetup(tenant, 's', AT_MS)
    assert.equal(await storage.units.recordUnit(held, outcomeOf(held, 1)), false)
    assert.deepEqual(await storage.units.claimUnits(10, LEASE_MS), [])
    const [monitor] = await storage.listMonitors(tenant, {}, { limit: 10 })
    assert.deepEqual(monitor?.counts, { cancelled: 1 })
  })

  test('gives units of an earlier process back at the start', async () => {
    const { storage } = await storeWithUnit(harness)
    await storage.units.claimUnits(10, LEASE_MS)
    const reopened = await harness.reopen(storage)
    await reopened.work.resume({ versions: { 'char-count': 1 } })
    assert.equal((await reopened.units.claimUnits(10, LEASE_MS)).length, 1)
  })

  test('learns how long a service pauses between the spans of a trace', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 's', { evaluators: [charCount] })
    await arrive(storage, tenant, 'a', 't', { service: 'shop' })
    await bind(storage)
    const [unit] = await storage.units.claimUnits(10, LEASE_MS)
    assert.ok(unit)
    assert.equal((await storage.units.readUnit(unit, 10, 10)).longestPauseMs, undefined)
    const batch = await packed(storage, tenant, ['b'], true)
    const { batchId } = await admit(storage, tenant, { ...batch, receivedAtMs: AT_MS + 7_000 })
    const { after } = await storage.digest.readUndigested(10)
    const units = emptyUnits(1)
    addUnit(units, 0)
    const digest: TraceDigest = {
      ...{ traceId: traceIdOf('t'), units, spanCount: 1, errorCount: 0, firstMs: AT_MS, lastMs: AT_MS + 1 },
      ...{
        modelCalls: 0,
        promptTokens: 0,
        completionTokens: 0,
        models: new Map(),
        isComplete: false,
        service: 'shop',
      },
    }
    await storage.digest.recordDigests(after, [{ batchId, traces: [digest], usage: [] }], 0)
    assert.equal((await storage.units.readUnit(unit, 10, 10)).longestPauseMs, learnPause(undefined, 7_000))
  })

  test('tells how many units are due, without those that nobody may look at any more', async () => {
    const { storage, tenant } = await storeWithUnit(harness)
    const due = async () => (await storage.system.readBacklog()).unitsDue
    assert.equal(await due(), 1)
    const [unit] = await storage.units.claimUnits(10, LEASE_MS)
    assert.ok(unit)
    await storage.units.recordUnit(unit, outcomeOf(unit, 1))
    assert.equal(await due(), 0)
    await storage.deleteSetup(tenant, 's', AT_MS)
    await arrive(storage, tenant, 'b', 't')
    assert.deepEqual(await storage.units.claimUnits(10, LEASE_MS), [])
    assert.equal(await due(), 0)
  })

  test('goes on with a unit that was evaluated before its monitor was stopped and taken up again', async () => {
    const { storage, tenant } = await storeWithUnit(harness)
    const [first] = await storage.units.claimUnits(10, LEASE_MS)
    assert.ok(first)
    await storage.units.recordUnit(first, outcomeOf(first, 1))
    await arrive(storage, tenant, 'b', 't')
    const stored = await storage.getSetup(tenant, 's')
    assert.ok(stored)
    await storage.updateSetup(tenant, 's', { selector: [rule], evaluators: [charCount] }, AT_MS)
    await storage.updateSetup(tenant, 's', { selector: stored.selector, evaluators: [charCount] }, AT_MS)
    await bind(storage)
    await arrive(storage, tenant, 'c', 't')
    const [again] = await storage.units.claimUnits(10, LEASE_MS)
    assert.ok(again)
    assert.equal(again.monitorVersion, first.monitorVersion)
    assert.equal(await storage.units.recordUnit(again, outcomeOf(again, 2)), true)
    const { evaluations } = await storage.listEvaluations(tenant, {}, { order: 'newest', limit: 10 })
    assert.deepEqual(
      evaluations.map(({ generation }) => generation),
      [2],
    )
  })
}
