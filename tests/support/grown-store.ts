import assert from 'node:assert/strict'
import type { CustomDefinition } from '../../src/domain/custom-evaluator.ts'
import type { EnvironmentScope } from '../../src/domain/tenant.ts'
import type { Storage } from '../../src/ports/storage.ts'
import {
  AT_MS,
  charCount,
  nextId,
  type StorageHarness,
  tenantScope,
  wordCount,
} from '../contract/contract-fixtures.ts'
import { spanWith, store, sumUp, traceIdOf } from '../contract/deletion-fixtures.ts'
import { fullStore } from '../contract/deletion-store.ts'
import { admitNames, backfill, carryOn, LEASE_MS, rerun, scoreAll, start } from '../contract/job-fixtures.ts'
import { bindSetup } from '../contract/result-fixtures.ts'

const HOUR_MS = 3_600_000

const definition: CustomDefinition = {
  provider: 'openai',
  messages: [{ role: 'user', content: 'Is {{text}} kind? \u0000 \u0001' }],
  modelConfig: { model: 'gpt-4o', temperature: 0.5 },
  inputSchema: [{ name: 'text', type: 'string', description: '', label: 'Text' }],
  outputSchema: [{ name: 'mood', type: 'string', description: 'd', label: 'Mood' }],
}

/** A store of which every part has been used: finished things, waiting ones, held ones and deleted ones. */
export async function growStore(harness: StorageHarness) {
  const { storage, scope } = await fullStore(harness)
  const stranger = await tenantScope(storage, 'stranger')
  await judgeSomething(storage, scope)
  await storage.createEnvironment(scope, { envProjectId: 'elsewhere', slug: 'dev' }, AT_MS)
  await bindSetup(storage, scope, 'whole', { evaluators: [wordCount] }, { scope: 'trace' })
  const attributes = {
    'gen_ai.request.model': 'm',
    'gen_ai.usage.input_tokens': 3,
    'session.id': 'a session',
  }
  await store(storage, scope, [{ ...spanWith('new', 'new 1', Buffer.from('x')), attributes }])
  await sumUp(storage)
  const [unit] = await storage.units.claimUnits(1, LEASE_MS)
  assert.ok(unit, 'a unit that somebody holds')
  await runJobs(storage, stranger)
  await storage.deleteTrace(scope, traceIdOf('gone'), AT_MS)
  await storage.deleteSession(scope, 'other session', AT_MS)
  // Not summed up, and held by a worker.
  await store(storage, scope, [spanWith('late', 'late 1', Buffer.from('y'))])
  assert.ok((await storage.work.claimWork('local', 100, LEASE_MS)).length > 0)
  return { storage, scope, stranger }
}

async function judgeSomething(storage: Storage, scope: EnvironmentScope): Promise<void> {
  const texts = { slug: 'kind', name: 'Kind', description: 'Says so.' }
  const custom = { evaluatorId: nextId(), versionId: nextId(), ...texts, definition }
  await storage.createCustomEvaluator(scope, custom, AT_MS, { evaluatorsMax: 3, versionsMax: 3 })
  const tokens = { promptTokens: 11, completionTokens: 7 }
  await storage.ledger.recordCalls(
    [{ orgId: scope.orgId, key: 'kept answer', answer: '{"mood":"good\\u0000"}', ...tokens }],
    [
      {
        projectId: scope.projectId,
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
  await storage.putProviderKey(scope, key)
  await storage.putBudget(scope, { dayMicros: 5, updatedAtMs: AT_MS })
  await storage.system.putLimits(scope.orgId, { setups: 50, storedBytes: 1_099_511_627_776 }, AT_MS)
  const call = { id: 'execution', evaluatorId: 'e', call: '{}', atMs: AT_MS }
  await storage.createExecution(scope, call, { openMax: 2, openCharsMax: 100 })
}

/** One job that has ended, and one whose work waits. */
async function runJobs(storage: Storage, scope: EnvironmentScope): Promise<void> {
  await admitNames(storage, scope, ['a', 'b'])
  await bindSetup(storage, scope, 's', { evaluators: [charCount] })
  await start(storage, scope, backfill('s'))
  await carryOn(storage)
  await scoreAll(storage)
  await storage.jobs.takeTurn()
  await start(storage, scope, rerun({}))
  await carryOn(storage)
  // What these tests store are names of spans, which nothing can be said about.
  const { after, batches } = await storage.digest.readUndigested(100)
  const digests = batches.map(({ batchId }) => ({ batchId, traces: [], usage: [] }))
  assert.ok(await storage.digest.recordDigests(after, digests, 0))
}

/** All that a tenant can read, through the ports. */
export async function viewOf(storage: Storage, scope: EnvironmentScope) {
  const evaluations = await storage.listEvaluations(scope, {}, { order: 'newest', limit: 100 })
  const monitors = await storage.listMonitors(scope, {}, { limit: 100 })
  const { traces } = await storage.listTraces(scope, {}, { limit: 100 })
  const window = { fromMs: AT_MS - HOUR_MS - (AT_MS % HOUR_MS), toMs: AT_MS + HOUR_MS - (AT_MS % HOUR_MS) }
  const spans = { fromSecond: 0, toSecond: 4_000_000_000, isDescending: false, limit: 100 }
  const refs = await storage.listSpanRefs(scope, spans)
  return {
    organizations: await storage.system.listOrganizations(),
    projects: await storage.listProjects(scope),
    keys: await storage.listApiKeys(scope),
    limits: await storage.readLimits(scope),
    use: await storage.readResourceUse(scope),
    setups: await storage.listSetups(scope, {}),
    catalogue: await storage.readCatalogue(scope),
    evaluators: await storage.listCustomEvaluators(scope),
    evaluations,
    details: await Promise.all(
      evaluations.evaluations.map((one) => storage.getEvaluation(scope, one.number)),
    ),
    monitors,
    series: await Promise.all(
      monitors.flatMap(({ id: monitorId }) =>
        ['v', 'label'].map((property) =>
          storage.readSeries(scope, { monitorId, property, ...window, bucketMs: 60_000, quantile: 0.5 }),
        ),
      ),
    ),
    traces,
    places: (
      await Promise.all(traces.map(({ traceId }) => storage.listTracePlaces(scope, traceId, 100)))
    ).map((places) => places.map(({ batchId, units }) => [batchId, inHex(units)])),
    sessions: await storage.listSessions(scope, {}, { limit: 100 }),
    usage: await storage.readUsage(scope, { ...window, bucketMs: 60_000, groupBy: ['service'] }),
    scores: await storage.listScores(scope, {}, { limit: 100 }),
    jobs: await storage.listJobs(scope, { limit: 100 }),
    answer: await storage.readCachedAnswer(scope, 'kept answer'),
    providerKeys: await storage.listProviderKeys(scope),
    budgets: await storage.listBudgets(scope),
    spend: await storage.listSpend(scope, 0, Number.MAX_SAFE_INTEGER),
    execution: await storage.getExecution(scope, 'execution', AT_MS),
    refs,
    batches: (await storage.readBatches(scope, [...new Set(refs.map(({ batchId }) => batchId))]))
      .map((batch) => ({ ...batch, bytes: inHex(batch.bytes) }))
      .toSorted((left, right) => left.batchId - right.batchId),
  }
}

// Stores hand out bytes in arrays of different classes.
function inHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
