import assert from 'node:assert/strict'
import type { BackfillRequest, Job, RerunRequest } from '../../src/domain/job.ts'
import { isSampled } from '../../src/domain/sampling.ts'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import { addUnit, emptyUnits, listUnits } from '../../src/domain/unit-set.ts'
import type { BackfillTurn, DecidedBatch } from '../../src/ports/job-storage.ts'
import type { Storage } from '../../src/ports/storage.ts'
import type { ClaimedWork } from '../../src/ports/work-storage.ts'
import { AT_MS, nextId } from './contract-fixtures.ts'
import type { Verdict } from './result-fixtures.ts'
import { admit, idsOf, packed } from './span-fixtures.ts'

export const LEASE_MS = 60_000
const ALL = { fromMs: 0, toMs: AT_MS + 1, limit: 1_000, samplingRate: 1 }

/** A backfill of everything. */
export function backfill(externalId: string): BackfillRequest {
  return { kind: 'backfill', externalId, ...ALL }
}

/** A rerun of everything, or of what the conditions leave. */
export function rerun(conditions: Partial<RerunRequest>): RerunRequest {
  return { kind: 'rerun', statuses: ['scored', 'error'], limit: 1_000, ...conditions }
}

/** Stores a job. */
export async function start(
  storage: Storage,
  tenant: EnvironmentTenant,
  request: Job['request'],
): Promise<Job> {
  const made = await storage.createJob(tenant, { id: nextId(), request, atMs: AT_MS, activeMax: 100 })
  assert.ok(typeof made === 'object')
  return made
}

/** A job as it is now. */
export async function job(storage: Storage, tenant: EnvironmentTenant, id: string): Promise<Job> {
  const found = await storage.getJob(tenant, id)
  assert.ok(found)
  return found
}

/** State, looked at, matched, queued, evaluated. */
export function progress({ state, lookedAt, matched, queued, evaluated }: Job) {
  return [state, lookedAt, matched, queued, evaluated]
}

/** A name whose trace a rate lets through, and one whose trace it does not. */
export function sampledNames(rate: number): { in: string; out: string } {
  const names = Array.from({ length: 50 }, (_, at) => `name ${at}`)
  const find = (isIn: boolean) => names.find((name) => isSampled(idsOf(name)[0], rate) === isIn) as string
  return { in: find(true), out: find(false) }
}

/** Names of spans by batch; what is stored in these tests are names, not OTLP. */
const namesOf = new Map<number, readonly string[]>()

/** Stores spans with these names, matched by every setup or by none. */
export async function admitNames(
  storage: Storage,
  tenant: EnvironmentTenant,
  names: readonly string[],
  isMatching = false,
  receivedAtMs = AT_MS,
): Promise<void> {
  const batch = { ...(await packed(storage, tenant, names, isMatching)), bytes: Buffer.from(names.join()) }
  await admit(storage, tenant, { ...batch, receivedAtMs })
}

/** The turn of a backfill, which there must be. */
export async function nextTurn(storage: Storage): Promise<BackfillTurn> {
  const { backfill: turn } = await storage.jobs.takeTurn()
  assert.ok(turn)
  return turn
}

/** Carries all jobs on until they have looked at everything; tells the spans of the batches they matched. */
export async function carryOn(storage: Storage): Promise<string[][]> {
  const seen: string[][] = []
  // A step that takes long ends behind its first batch; the second one of a job comes again then.
  const seconds = new Map<number, number | undefined>()
  for (;;) {
    const turn = await storage.jobs.takeTurn()
    if (!turn.backfill) {
      if (turn.hasMore) continue
      return seen
    }
    const batches = await storage.jobs.readBackfillBatches(turn.backfill, 2)
    const second = seconds.get(turn.backfill.jobNumber)
    seconds.set(turn.backfill.jobNumber, batches[1]?.batchId)
    const decided = batches.map(({ batchId, bytes, repeated, receivedAtMs }) => {
      const names = Buffer.from(bytes).toString().split(',')
      if (batchId !== second) seen.push(names)
      return decide(batchId, names, repeated, receivedAtMs)
    })
    assert.equal(await storage.jobs.recordBackfill(turn.backfill, decided), true)
  }
}

/** A batch all of whose spans match, but for repeated ones. */
export function decide(
  batchId: number,
  names: readonly string[],
  repeated: readonly number[] = [],
  receivedAtMs = AT_MS,
): DecidedBatch {
  const units = emptyUnits(names.length)
  for (const at of names.keys()) if (!repeated.includes(at)) addUnit(units, at)
  const ids = new Uint8Array(Buffer.concat(names.map((name) => Buffer.from(idsOf(name).join(''), 'hex'))))
  return { batchId, receivedAtMs, spanCount: names.length, units, ids }
}

/** Takes everything that waits. */
export async function claimAll(storage: Storage, limit = 1_000): Promise<ClaimedWork[]> {
  const works = await storage.work.claimWork('local', limit, LEASE_MS)
  for (const batch of await storage.work.readWorkBatches(works.map(({ batchId }) => batchId))) {
    namesOf.set(batch.batchId, Buffer.from(batch.bytes).toString().split(','))
  }
  return works
}

/** Takes what waits, in so many batches, and tells the names of the spans. */
export async function claimNames(storage: Storage, limit: number): Promise<string[]> {
  return (await claimAll(storage, limit)).flatMap(({ batchId, units }) =>
    listUnits(units).map((ordinal) => namesOf.get(batchId)?.[ordinal] ?? ''),
  )
}

/** Evaluates everything that waits, work of jobs too; tells how many evaluations were new. */
export async function scoreAll(
  storage: Storage,
  judge: (name: string) => Verdict = () => ({ status: 'scored', output: { v: 1 } }),
): Promise<number> {
  const works = await claimAll(storage)
  return (await storage.work.recordWork(works.map((work) => recordOf(work, judge)))).evaluations
}

/** The record that a worker would write. */
export function recordOf(work: ClaimedWork, judge?: (name: string) => Verdict) {
  const outcomes = listUnits(work.units).map((ordinal) => {
    const name = namesOf.get(work.batchId)?.[ordinal] ?? ''
    return { ...outcomeOf(name, ordinal), ...(judge?.(name) as object) }
  })
  return { work, outcomes, sampledOut: 0 }
}

/** A score of a span. */
export function outcomeOf(name: string, ordinal: number) {
  const [traceId, spanId] = idsOf(name)
  const scored = { status: 'scored', output: { v: 1 } } as const
  return { ordinal, traceId, spanId, unitAtMs: AT_MS, durationUs: 1, ...scored }
}
