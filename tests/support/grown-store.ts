import assert from 'node:assert/strict'
import type { CustomDefinition } from '../../src/domain/custom-evaluator.ts'
import type { SpanImage } from '../../src/domain/span-image.ts'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import type { Storage } from '../../src/ports/storage.ts'
import {
  AT_MS,
  charCount,
  createTenant,
  nextId,
  type StorageHarness,
  wordCount,
} from '../contract/contract-fixtures.ts'
import { spanIdOf, spanWith, store, sumUp, traceIdOf } from '../contract/deletion-fixtures.ts'
import { fullStore } from '../contract/deletion-store.ts'
import { incidentOf } from '../contract/incident-contract.ts'
import { admitNames, backfill, carryOn, LEASE_MS, rerun, scoreAll, start } from '../contract/job-fixtures.ts'
import { bindSetup } from '../contract/result-fixtures.ts'

const HOUR_MS = 3_600_000

const IMAGE: SpanImage = {
  ...{ traceId: traceIdOf('new'), spanId: spanIdOf('new 1'), name: 'a.png', type: 'image/png' },
  bytes: Buffer.from('image'),
}

const definition: CustomDefinition = {
  provider: 'openai',
  messages: [{ role: 'user', content: 'Is {{text}} kind? \u0000 \u0001' }],
  modelConfig: { model: 'gpt-4o', temperature: 0.5 },
  inputSchema: [{ name: 'text', type: 'string', description: '', label: 'Text' }],
  outputSchema: [{ name: 'mood', type: 'string', description: 'd', label: 'Mood' }],
}

const SPANS = { fromSecond: 0, toSecond: 4_000_000_000, isDescending: false, limit: 100 }

/** A store of which every part has been used: finished things, waiting ones, held ones and deleted ones. */
export async function growStore(harness: StorageHarness) {
  const { storage, tenant } = await fullStore(harness)
  const stranger = await createTenant(storage, 'stranger')
  await judgeSomething(storage, tenant)
  await storage.createEnvironment(tenant, { envProjectId: 'elsewhere', slug: 'dev' }, AT_MS)
  await bindSetup(storage, tenant, 'whole', { evaluators: [wordCount] }, { scope: 'trace' })
  const attributes = {
    'gen_ai.request.model': 'm',
    'gen_ai.usage.input_tokens': 3,
    'session.id': 'a session',
  }
  await store(storage, tenant, [{ ...spanWith('new', 'new 1', Buffer.from('x')), attributes }])
  const [ref] = await storage.listSpanRefs(tenant, SPANS)
  assert.ok(ref)
  const event = { eventKey: Buffer.alloc(16, 7), bytes: Buffer.from('an event'), byteLength: 20 }
  await storage.addContents(tenant, { receivedAtMs: AT_MS, contents: [{ ...ref, ...event }] })
  await sumUp(storage)
  await storage.addImage(tenant, IMAGE, { perSpan: 1, perTrace: 1 }, AT_MS)
  const [unit] = await storage.units.claimUnits(1, LEASE_MS)
  assert.ok(unit, 'a unit that somebody holds')
  await runJobs(storage, stranger)
  await storage.deleteTrace(tenant, traceIdOf('gone'), AT_MS)
  await storage.deleteSession(tenant, 'other session', AT_MS)
  await storage.openIncident(tenant, incidentOf())
  // Not summed up, and held by a worker.
  await store(storage, tenant, [spanWith('late', 'late 1', Buffer.from('y'))])
  assert.ok((await storage.work.claimWork('local', 100, LEASE_MS)).length > 0)
  return { storage, tenant, stranger }
}

async function judgeSomething(storage: Storage, tenant: EnvironmentTenant): Promise<void> {
  const texts = { slug: 'kind', name: 'Kind', description: 'Says so.' }
  const custom = { evaluatorId: nextId(), versionId: nextId(), ...texts, definition }
  await storage.createCustomEvaluator(tenant, custom, AT_MS, { evaluatorsMax: 3, versionsMax: 3 })
  const tokens = { promptTokens: 11, completionTokens: 7 }
  await storage.ledger.recordCalls(
    [{ orgId: tenant.orgId, key: 'kept answer', answer: '{"mood":"good\\u0000"}', ...tokens }],
    [
      {
        projectId: tenant.projectId,
        atMs: AT_MS,
        model: 'm',
        calls: 1,
        ...tokens,
        costMicros: 5,
        unpricedCalls: 0,
      },
    ],
  )
  const key = { provider: 'openai', sealed: 'c2VhbGVk', hint: 'wxyz', updatedAtMs: AT_MS }
  await storage.putProviderKey(tenant, key)
  await storage.putBudget(tenant, { dayMicros: 5, updatedAtMs: AT_MS })
  await storage.system.putLimits(tenant.orgId, { setups: 50, storedBytes: 1_099_511_627_776 }, AT_MS)
  const call = { id: 'execution', evaluatorId: 'e', call: '{}', atMs: AT_MS }
  await storage.createExecution(tenant, call, { openMax: 2, openCharsMax: 100 })
}

/** One job that has ended, and one whose work waits. */
async function runJobs(storage: Storage, tenant: EnvironmentTenant): Promise<void> {
  await admitNames(storage, tenant, ['a', 'b'])
  await bindSetup(storage, tenant, 's', { evaluators: [charCount] })
  await start(storage, tenant, backfill('s'))
  await carryOn(storage)
  await scoreAll(storage)
  await storage.jobs.takeTurn()
  await start(storage, tenant, rerun({}))
  await carryOn(storage)
  // These tests store names of spans, which have nothing to sum up.
  const { after, batches } = await storage.digest.readUndigested(100)
  const digests = batches.map(({ batchId }) => ({ batchId, traces: [], usage: [] }))
  assert.ok(await storage.digest.recordDigests(after, digests, 0))
}

/** All that a tenant can read, through the ports. */
export async function viewOf(storage: Storage, tenant: EnvironmentTenant) {
  const evaluations = await storage.listEvaluations(tenant, {}, { order: 'newest', limit: 100 })
  const monitors = await storage.listMonitors(tenant, {}, { limit: 100 })
  const { traces } = await storage.listTraces(tenant, {}, { limit: 100 })
  const window = { fromMs: AT_MS - HOUR_MS - (AT_MS % HOUR_MS), toMs: AT_MS + HOUR_MS - (AT_MS % HOUR_MS) }
  const refs = await storage.listSpanRefs(tenant, SPANS)
  return {
    organizations: await storage.system.listOrganizations(),
    projects: await storage.listProjects(tenant),
    keys: await storage.listApiKeys(tenant),
    limits: await storage.readLimits(tenant),
    use: await storage.readResourceUse(tenant),
    setups: await storage.listSetups(tenant, {}),
    catalogue: await storage.readCatalogue(tenant),
    evaluators: await storage.listCustomEvaluators(tenant),
    evaluations,
    details: await Promise.all(
      evaluations.evaluations.map((one) => storage.getEvaluation(tenant, one.number)),
    ),
    monitors,
    series: await Promise.all(
      monitors.flatMap(({ id: monitorId }) =>
        ['v', 'label'].map((property) =>
          storage.readSeries(tenant, { monitorId, property, ...window, bucketMs: 60_000, quantile: 0.5 }),
        ),
      ),
    ),
    traces,
    places: (
      await Promise.all(traces.map(({ traceId }) => storage.listTracePlaces(tenant, traceId, 100)))
    ).map((places) => places.map(({ batchId, units }) => [batchId, inHex(units)])),
    sessions: await storage.listSessions(tenant, {}, { limit: 100 }),
    usage: await storage.readUsage(tenant, { ...window, bucketMs: 60_000, groupBy: ['service'] }),
    scores: await storage.listAnnotations(tenant, {}, { limit: 100 }),
    contents: (await storage.readContents(tenant, refs)).map(({ bytes, ...content }) => [
      content,
      inHex(bytes),
    ]),
    images: await storage.listImages(tenant, traceIdOf('new')),
    image: await storage
      .readImage(tenant, IMAGE)
      .then((image) => image && Buffer.from(image.bytes).toString('hex')),
    jobs: await storage.listJobs(tenant, { limit: 100 }),
    incidents: await Promise.all(
      (await storage.listIncidents(tenant, {}, { limit: 10 })).map(({ id }) =>
        storage.getIncident(tenant, id),
      ),
    ),
    answer: await storage.readCachedAnswer(tenant, 'kept answer'),
    providerKeys: await storage.listProviderKeys(tenant),
    budgets: await storage.listBudgets(tenant),
    spend: await storage.listSpend(tenant, 0, Number.MAX_SAFE_INTEGER),
    execution: await storage.getExecution(tenant, 'execution', AT_MS),
    refs,
    batches: (await storage.readBatches(tenant, [...new Set(refs.map(({ batchId }) => batchId))]))
      .map((batch) => ({ ...batch, bytes: inHex(batch.bytes) }))
      .toSorted((left, right) => left.batchId - right.batchId),
  }
}

// Stores hand out bytes in arrays of different classes.
function inHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
