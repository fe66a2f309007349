import { randomBytes } from 'node:crypto'
import type { UnitOutcome } from '../../src/domain/evaluation.ts'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import { listUnits } from '../../src/domain/unit-set.ts'
import type { Storage } from '../../src/ports/storage.ts'
import type { ClaimedWork } from '../../src/ports/work-storage.ts'
import { AT_MS, charCount, rule, type StorageHarness, storeWithTenant } from './contract-fixtures.ts'
import { namesOf, spanIdOf, spanWith, store, sumUp, traceIdOf } from './deletion-fixtures.ts'
import { bindSetup } from './result-fixtures.ts'

export const setup = { evaluators: [charCount], selector: [rule] }
export const range = { order: 'newest', limit: 100 } as const

/** An empty store with one tenant whose setup is bound. */
export async function boundStore(harness: StorageHarness) {
  const { storage, tenant } = await storeWithTenant(harness)
  const monitors = await bindSetup(storage, tenant, 'a', setup)
  return { storage, tenant, monitorId: monitors['char-count'] ?? '' }
}

/** Takes all work that waits. */
export function claim(storage: Storage): Promise<ClaimedWork[]> {
  return storage.work.claimWork('local', 100, 60_000)
}

/** A worker's outcomes for spans of these traces, in the order of their ordinals. */
export function outcomesOf(
  work: ClaimedWork,
  spans: readonly (readonly [trace: string, span: string])[],
  text: string,
): UnitOutcome[] {
  return listUnits(work.units).map((ordinal) => {
    const [trace, span] = spans[ordinal] ?? ['', '']
    const said = trace === 'gone' ? text : 'plain'
    return {
      ...{ ordinal, traceId: traceIdOf(trace), spanId: spanIdOf(span), unitAtMs: AT_MS, durationUs: 1 },
      ...{ status: 'scored', output: { label: `${said} label` }, sessionId: `${said} session` },
      judgement: {
        ...{ calls: 1, cachedCalls: 0, promptTokens: 1, completionTokens: 1 },
        evidence: { quote: `${said} quote` },
      },
    }
  })
}

/** Two traces of two sessions in one batch, evaluated, scored from outside, judged, and sent partly twice. */
export async function fullStore(harness: StorageHarness) {
  const { storage, tenant, monitorId } = await boundStore(harness)
  const secrets = { gone: randomBytes(64), kept: randomBytes(64) }
  const text = `secret-${randomBytes(8).toString('hex')}`
  const spans = [
    spanWith('gone', 'gone 1', secrets.gone, `${text} session`),
    spanWith('kept', 'kept 1', secrets.kept, 'other session'),
    spanWith('gone', 'gone 2', secrets.gone, `${text} session`),
  ]
  const { batchId } = await store(storage, tenant, spans)
  // The first span once more, beside a new one.
  await store(storage, tenant, [...spans.slice(0, 1), spanWith('kept', 'kept 2', secrets.kept)])
  await sumUp(storage)
  for (const work of await claim(storage)) {
    const names = work.batchId === batchId ? NAMES : ([NAMES[0], ['kept', 'kept 2']] as const)
    await storage.work.recordWork([{ work, outcomes: outcomesOf(work, names, text), sampledOut: 0 }])
  }
  const said = { name: 'liked', value: true, source: 'human' } as const
  await storage.addAnnotations(
    tenant,
    [
      { ...said, traceId: traceIdOf('gone'), comment: `${text} comment` },
      { ...said, sessionId: `${text} session`, comment: `${text} comment` },
      { ...said, traceId: traceIdOf('kept'), comment: 'kept comment' },
    ],
    AT_MS,
  )
  const cached = { orgId: tenant.orgId, key: 'key', promptTokens: 1, completionTokens: 1 }
  await storage.ledger.recordCalls([{ ...cached, answer: `${text} answer` }], [])
  return { storage, tenant, monitorId, secrets, text, batchId }
}

export const NAMES = [
  ['gone', 'gone 1'],
  ['kept', 'kept 1'],
  ['gone', 'gone 2'],
] as const

/** How often some bytes stand in the files of a store. */
export async function countIn(harness: StorageHarness, storage: Storage, bytes: Buffer | string) {
  const files = await harness.files(storage)
  return files.filter((file) => file.includes(bytes)).length
}

/** Everything that a tenant can read about a trace. */
export async function findTrace(storage: Storage, tenant: EnvironmentTenant, trace: string) {
  const traceId = traceIdOf(trace)
  const { evaluations } = await storage.listEvaluations(tenant, { traceId }, range)
  const all = await storage.listEvaluations(tenant, {}, range)
  const { traces } = await storage.listTraces(tenant, {}, { limit: 100 })
  return {
    trace: await storage.getTrace(tenant, traceId),
    listed: traces.filter((found) => found.traceId === traceId).length,
    places: (await storage.listTracePlaces(tenant, traceId, 100)).length,
    evaluations: evaluations.length + all.evaluations.filter((found) => found.traceId === traceId).length,
    ofTrace: (await storage.listTraceEvaluations(tenant, [traceId], { limitEach: 100 })).length,
    scores: (await storage.listAnnotationsOf(tenant, { traceIds: [traceId], sessionIds: [] }, 100)).length,
    spans: (await namesOf(storage, tenant)).filter((name) => name.startsWith(trace)).length,
  }
}

export const NOTHING = {
  trace: undefined,
  listed: 0,
  places: 0,
  evaluations: 0,
  ofTrace: 0,
  scores: 0,
  spans: 0,
}
