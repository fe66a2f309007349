import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { UnitOutcome } from '../../src/domain/evaluation.ts'
import type { MonitorPlan } from '../../src/domain/monitor.ts'
import type { SetupChange } from '../../src/domain/setup.ts'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import { addUnit, emptyUnits, listUnits } from '../../src/domain/unit-set.ts'
import { NEUTRAL } from '../../src/evaluators/kit/verdict-rule.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { AT_MS, nextId } from './contract-fixtures.ts'

/** A span to be stored: when it began, and its ids where they matter. */
export interface GivenSpan {
  readonly atMs: number
  readonly traceId?: string
  readonly spanId?: string
}

/** A span as it was stored. */
export interface StoredSpan {
  readonly atMs: number
  readonly traceId: string
  readonly spanId: string
}

/** An evaluator's verdict on a span; `sampled_out` leaves it out. */
export type Verdict =
  | Pick<UnitOutcome, 'status' | 'output' | 'errorMessage' | 'sessionId' | 'application'>
  | 'sampled_out'

/** Makes a setup, or changes it, and binds every entry of it; tells the monitors by slug. */
export async function bindSetup(
  storage: Storage,
  tenant: EnvironmentTenant,
  externalId: string,
  change: SetupChange,
  plan: Partial<MonitorPlan> = {},
  verdictRule = NEUTRAL,
): Promise<Record<string, string>> {
  await storage.upsertSetups(tenant, [{ id: nextId(), externalId, change }], AT_MS)
  const claims = await storage.work.claimSetups(100, 60_000, Number.MAX_SAFE_INTEGER)
  const claim = claims.find(({ setup }) => setup.externalId === externalId)
  assert.ok(claim)
  const entries = claim.setup.entries.map(({ slug, evaluatorId }) => ({
    slug,
    newMonitorId: nextId(),
    verdictRule,
    plan: {
      slug,
      evaluatorId,
      evaluatorVersion: 1,
      scope: 'span' as const,
      config: {},
      mapping: { text: { from: { field: 'completion' as const } } },
      samplingRate: 1,
      ...plan,
    },
  }))
  const outcome = { status: 'completed' as const, entries, lookedThrough: 0, atMs: AT_MS + 1_000 }
  assert.equal(await storage.work.finishSetup(claim, outcome), true)
  const setup = await storage.getSetup(tenant, externalId)
  return Object.fromEntries((setup?.entries ?? []).map(({ slug, bindingId }) => [slug, bindingId ?? '']))
}

/** Stores spans that every setup of the environment matches. */
export async function admit(
  storage: Storage,
  tenant: EnvironmentTenant,
  spans: readonly GivenSpan[],
  receivedAtMs = AT_MS,
): Promise<StoredSpan[]> {
  const { revision, current } = await storage.readCatalogue(tenant)
  const stored = spans.map(({ atMs, traceId, spanId }) => ({
    atMs,
    traceId: traceId ?? randomBytes(16).toString('hex'),
    spanId: spanId ?? randomBytes(8).toString('hex'),
  }))
  const units = () => {
    const all = emptyUnits(spans.length)
    for (const ordinal of spans.keys()) addUnit(all, ordinal)
    return all
  }
  const admission = await storage.admitSpans(tenant, {
    revision,
    receivedAtMs,
    bytes: Uint8Array.of(1),
    byteLength: 1,
    knownFaults: [],
    ids: Buffer.concat(stored.map(({ traceId, spanId }) => Buffer.from(traceId + spanId, 'hex'))),
    startSeconds: Float64Array.from(stored, ({ atMs }) => Math.floor(atMs / 1_000)),
    matches: current
      .filter(({ envProjectId }) => envProjectId === tenant.envProjectId)
      .map(({ setupVersion }) => ({ setupVersion, units: units() })),
  })
  assert.ok(admission !== 'stale')
  return stored
}

/** Evaluates everything that waits; `judge` says what comes of each span. */
export async function score(
  storage: Storage,
  spans: readonly StoredSpan[],
  judge: (span: StoredSpan, slug: string) => Verdict,
): Promise<void> {
  const works = await storage.work.claimWork('local', 1_000, 60_000)
  const versions = await storage.work.readMonitorVersions(works.map(({ monitorVersion }) => monitorVersion))
  const slugs = new Map(versions.map(({ number, slug }) => [number, slug]))
  const records = works.map((work) => {
    const judged = listUnits(work.units).map((ordinal) => {
      const span = spans[ordinal] as StoredSpan
      return { ordinal, span, verdict: judge(span, slugs.get(work.monitorVersion) ?? '') }
    })
    const outcomes = judged.flatMap(({ ordinal, span, verdict }) =>
      verdict === 'sampled_out'
        ? []
        : [{ ordinal, ...idsOf(span), unitAtMs: span.atMs, durationUs: 1_500, ...verdict }],
    )
    return { work, outcomes, sampledOut: judged.length - outcomes.length }
  })
  await storage.work.recordWork(records)
}

/** Stores spans and evaluates them at once. */
export async function admitAndScore(
  storage: Storage,
  tenant: EnvironmentTenant,
  spans: readonly GivenSpan[],
  judge: (span: StoredSpan, slug: string) => Verdict,
): Promise<StoredSpan[]> {
  const stored = await admit(storage, tenant, spans)
  await score(storage, stored, judge)
  return stored
}

/** Waits until the clock, which evaluations are stamped with, has gone on. */
export async function nextMillisecond(): Promise<number> {
  const start = Date.now()
  while (Date.now() <= start + 1) await new Promise((resolve) => setImmediate(resolve))
  return Date.now()
}

function idsOf({ traceId, spanId }: StoredSpan) {
  return { traceId, spanId }
}
