import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { DryRuns } from '../../src/control/dry-run/dry-run.ts'
import { OPERATORS } from '../../src/domain/operators.ts'
import type { SelectorRule } from '../../src/domain/selector.ts'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import { listUnits } from '../../src/domain/unit-set.ts'
import { builtInVersions } from '../../src/evaluators/catalogue.ts'
import { ATTRIBUTE_SOURCES } from '../../src/lib/otlp/span.ts'
import { unpackSpansSync } from '../../src/lib/otlp/stored-spans.ts'
import { startThread } from '../../src/lib/threads/start-thread.ts'
import { Jobs } from '../../src/pipeline/jobs/jobs.ts'
import type { ClaimedWork } from '../../src/ports/work-storage.ts'
import { AT_MS, charCount, createTenant, nextId } from '../contract/contract-fixtures.ts'
import { bindSetup } from '../contract/result-fixtures.ts'
import { encodeTraces, type TestAttributes } from '../otlp/encode-traces.ts'
import { openIngest } from '../support/ingest-fixture.ts'
import { recordingLogger } from '../support/recording-logger.ts'
import { eventually } from '../support/spans.ts'

// More runs: ASSAY_PROPERTY_RUNS=1000 npm test -- tests/property/backfill-property.test.ts
const RUNS = Number(process.env['ASSAY_PROPERTY_RUNS'] ?? 4)
const LEASE_MS = 600_000

const { ingest, storage } = await openIngest()
const jobs = new Jobs({
  storage: storage.jobs,
  match: (setup, batch) => ingest.match(setup, batch),
  logger: recordingLogger([]),
  onWork() {},
})
const dryRuns = new DryRuns({
  lookingMsMax: 300_000,
  storage,
  clock: { nowMs: () => AT_MS },
  startThread,
  evaluatorVersions: builtInVersions(),
  judgeOf: async () => undefined,
  costs: { costOf: () => undefined },
})
jobs.start()
after(() => jobs.close())

/** Spans by a small number, so that some come twice; few keys and values, so that rules often hold. */
interface GivenSpan {
  readonly id: number
  readonly attributes: TestAttributes
}
interface GivenBatch {
  readonly resource: TestAttributes
  readonly spans: readonly GivenSpan[]
}

const key = fc.constantFrom('a', 'b', 'gen_ai.system', 'llm.vendor', 'assay.judge')
const word = fc.constantFrom('', '1', '0.7', 'true', 'x', 'X', 'xy', 'openai')
const value = fc.oneof(word, fc.constantFrom(1, 0.7, true), fc.array(word, { maxLength: 3 }))
const attributes = fc.dictionary(
  fc.oneof(
    { weight: 8, arbitrary: key.filter((name) => name !== 'assay.judge') },
    { weight: 1, arbitrary: key },
  ),
  value,
  { maxKeys: 4 },
)
const batch: fc.Arbitrary<GivenBatch> = fc.record({
  resource: attributes,
  spans: fc.array(fc.record({ id: fc.nat({ max: 40 }), attributes }), { minLength: 1, maxLength: 12 }),
})
const rule: fc.Arbitrary<SelectorRule> = fc
  .record({
    key,
    source: fc.constantFrom(...ATTRIBUTE_SOURCES),
    operator: fc.constantFrom(...OPERATORS),
    value: word,
    values: fc.array(word, { minLength: 1, maxLength: 3 }),
  })
  .map(({ value: one, values, ...base }) => {
    const operand = base.operator.includes('exists')
      ? {}
      : ['in', 'not_in'].includes(base.operator)
        ? { values }
        : { value: one }
    return { ...base, valueType: 'string', ...operand }
  })
const selectors = fc.array(fc.array(rule, { maxLength: 3 }), { minLength: 1, maxLength: 5 })

let tenants = 0

test('a backfill of stored spans gives the units that live matching gives, and a dry run foretells them', async () => {
  const property = fc.asyncProperty(
    selectors,
    fc.array(batch, { minLength: 1, maxLength: 20 }),
    async (setups, batches) => {
      const live = await createTenant(storage, `live ${++tenants}`)
      await bindAll(live, setups)
      await sendAll(live, batches)
      const expected = unitsBySetup(await evaluateAll(), setups.length)

      const late = await createTenant(storage, `late ${tenants}`)
      await sendAll(late, batches)
      const foretold = await preview(late, setups[0] as SelectorRule[])
      await bindAll(late, setups)
      assert.deepEqual(await evaluateAll(), [], 'nothing matches what came before it by itself')
      const found = unitsBySetup(await backfillAll(late, setups.length), setups.length)

      assert.deepEqual(found, expected)
      assert.equal(foretold, expected[0]?.length)
    },
  )
  await fc.assert(property, { numRuns: RUNS })
})

async function bindAll(tenant: EnvironmentTenant, setups: readonly SelectorRule[][]): Promise<void> {
  for (const [at, selector] of setups.entries()) {
    await bindSetup(storage, tenant, nameOf(at), { evaluators: [charCount], selector })
  }
}

async function sendAll(tenant: EnvironmentTenant, batches: readonly GivenBatch[]): Promise<void> {
  for (const { resource, spans } of batches) {
    const body = encodeTraces([{ resource, scopes: [{ spans: spans.map(toSpan) }] }])
    await ingest.receive(tenant, new Uint8Array(body), 'protobuf')
  }
}

function toSpan({ id, attributes: given }: GivenSpan) {
  const startUnixNano = BigInt(AT_MS) * 1_000_000n
  return {
    traceId: Buffer.alloc(16, id + 1),
    spanId: Buffer.alloc(8, id + 1),
    name: 'chat',
    startUnixNano,
    endUnixNano: startUnixNano,
    attributes: given,
  }
}

/** A unit that was to be evaluated: the setup and the span. */
type Unit = readonly [setup: string, spanId: string]

/** Takes everything that waits and records a score for it. */
async function evaluateAll(): Promise<Unit[]> {
  const works = await storage.work.claimWork('local', 1_000, LEASE_MS)
  const owners = await storage.work.readMonitorOwners(works.map(({ monitorVersion }) => monitorVersion))
  const nameByVersion = new Map(owners.map((owner) => [owner.monitorVersion, owner.setup.externalId]))
  const units: Unit[] = []
  for (const work of works) {
    const outcomes = await outcomesOf(work)
    for (const { spanId } of outcomes) units.push([nameByVersion.get(work.monitorVersion) ?? '', spanId])
    await storage.work.recordWork([{ work, outcomes, sampledOut: 0 }])
  }
  return units
}

async function outcomesOf({ batchId, units }: ClaimedWork) {
  const [stored] = await storage.work.readWorkBatches([batchId])
  assert.ok(stored)
  const spans = unpackSpansSync(stored)
  return listUnits(units).map((ordinal) => ({
    ordinal,
    traceId: spans[ordinal]?.traceId ?? '',
    spanId: spans[ordinal]?.spanId ?? '',
    unitAtMs: AT_MS,
    status: 'scored' as const,
    durationUs: 1,
  }))
}

async function backfillAll(tenant: EnvironmentTenant, count: number): Promise<Unit[]> {
  const window = { fromMs: 0, toMs: AT_MS + 1, limit: 10_000, samplingRate: 1 }
  for (let at = 0; at < count; at++) {
    const request = { kind: 'backfill' as const, externalId: nameOf(at), ...window }
    const made = await storage.createJob(tenant, { id: nextId(), request, atMs: AT_MS, activeMax: 100 })
    assert.ok(typeof made === 'object')
  }
  const units: Unit[] = []
  await eventually(async () => {
    jobs.wake()
    units.push(...(await evaluateAll()))
    const all = await storage.listJobs(tenant, { limit: 100 })
    return all.every(({ state }) => state === 'done')
  }, 'all backfills are done')
  return units
}

async function preview(tenant: EnvironmentTenant, selector: readonly SelectorRule[]): Promise<number> {
  const draft = { id: nextId(), externalId: 'preview', change: { evaluators: [charCount], selector } }
  const proposed = await storage.createSetup(tenant, draft, AT_MS)
  assert.ok(proposed !== 'exists' && proposed !== 'full')
  await storage.deleteSetup(tenant, 'preview', AT_MS)
  const window = { fromMs: 0, toMs: AT_MS + 1, spansMax: 100_000 }
  return (await dryRuns.run(tenant, { proposed, ...window })).matched
}

function unitsBySetup(units: readonly Unit[], count: number): string[][] {
  return Array.from({ length: count }, (_, at) =>
    units
      .filter(([setup]) => setup === nameOf(at))
      .map(([, spanId]) => spanId)
      .toSorted(),
  )
}

function nameOf(at: number): string {
  return `setup ${at}`
}
