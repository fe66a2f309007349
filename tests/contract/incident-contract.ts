import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IncidentMonitor } from '../../src/domain/incidents/incident.ts'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import { atLeast, judgesBy, NEUTRAL } from '../../src/evaluators/kit/verdict-rule.ts'
import type { NewIncident } from '../../src/ports/incident-storage.ts'
import type { Storage } from '../../src/ports/storage.ts'
import {
  AT_MS,
  charCount,
  createTenant,
  nextId,
  type StorageHarness,
  storeWithTenant,
  wordCount,
} from './contract-fixtures.ts'
import { eraseAll, traceIdOf } from './deletion-fixtures.ts'
import { admitAndScore, bindSetup } from './result-fixtures.ts'

const HOUR_MS = 3_600_000
const LABELS = { pass: 'Long', fail: 'Short' }

function monitorOf(monitorId: string, given: Partial<IncidentMonitor> = {}): IncidentMonitor {
  return {
    ...{ monitorId, version: 1, ruleHash: 'rule', onsetMs: AT_MS, falseChance: 0.000001, state: 'fallen' },
    ...{ before: { pass: 95, fail: 5 }, after: { pass: 12, fail: 18 } },
    ...given,
  }
}

/** An incident of the application shop, with every field. */
export function incidentOf(given: Partial<NewIncident> = {}): NewIncident {
  return {
    ...{ id: nextId(), application: 'shop', onsetMs: AT_MS, monitors: [monitorOf('m1')] },
    changes: {
      values: [{ property: 'model', value: 'gpt-mini', shareBefore: 0, shareAfter: 1 }],
      deployments: [{ version: '2.0.0', environment: 'prd', firstSeenMs: AT_MS - 1_000 }],
      ...{ sampledBefore: 200, sampledAfter: 100 },
    },
    examples: [
      { evaluation: 7, traceId: traceIdOf('t7') },
      { evaluation: 9, traceId: traceIdOf('t9') },
    ],
    atMs: AT_MS + HOUR_MS,
    ...given,
  }
}

async function open(storage: Storage, tenant: EnvironmentTenant, given: Partial<NewIncident> = {}) {
  const incident = incidentOf(given)
  assert.equal(await storage.openIncident(tenant, incident), true)
  return incident.id
}

const idsIn = async (storage: Storage, tenant: EnvironmentTenant, filter = {}) =>
  (await storage.listIncidents(tenant, filter, { limit: 10 })).map(({ id }) => id)

/** The promises of every store about incidents. */
export function describeIncidents(harness: StorageHarness): void {
  test('an incident is read back as it was opened, with its monitors, examples and first event', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const given = incidentOf()
    assert.equal(await storage.openIncident(tenant, given), true)
    const { number, ...read } = (await storage.getIncident(tenant, given.id)) ?? { number: 0 }
    assert.ok(number > 0)
    assert.deepEqual(read, {
      ...{ id: given.id, application: 'shop', state: 'open', onsetMs: AT_MS },
      ...{ openedAtMs: AT_MS + HOUR_MS, updatedAtMs: AT_MS + HOUR_MS },
      ...{ monitors: given.monitors, changes: given.changes },
      events: [{ kind: 'opened', atMs: AT_MS + HOUR_MS }],
      examples: [given.examples[1], given.examples[0]],
    })
    assert.equal(await storage.getIncident(tenant, 'another'), undefined)
  })

  test('lists incidents newest first, by state and application, page by page', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const shop = await open(storage, tenant)
    const bot = await open(storage, tenant, { application: 'bot' })
    const { application: _, ...rest } = incidentOf()
    assert.equal(await storage.openIncident(tenant, rest), true)
    await storage.decideIncident(tenant, bot, { state: 'dismissed', atMs: AT_MS + 5 * HOUR_MS })
    assert.deepEqual(await idsIn(storage, tenant), [rest.id, bot, shop])
    assert.deepEqual(await idsIn(storage, tenant, { state: 'open' }), [rest.id, shop])
    assert.deepEqual(await idsIn(storage, tenant, { application: 'bot' }), [bot])
    assert.deepEqual(await idsIn(storage, tenant, { openSinceMs: AT_MS + 5 * HOUR_MS }), [rest.id, bot, shop])
    assert.deepEqual(await idsIn(storage, tenant, { openSinceMs: AT_MS + 6 * HOUR_MS }), [rest.id, shop])
    const [first] = await storage.listIncidents(tenant, {}, { limit: 1 })
    const range = { limit: 1, ...(first ? { beforeNumber: first.number } : {}) }
    assert.equal((await storage.listIncidents(tenant, {}, range))[0]?.id, bot)
  })

  test('of two processes that find the same fall, one opens an incident', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const answers = await Promise.all([1, 2, 3].map(() => storage.openIncident(tenant, incidentOf())))
    assert.deepEqual(answers.filter(Boolean), [true])
    const another = incidentOf({ application: 'bot' })
    assert.equal(await storage.openIncident(tenant, another), true)
  })

  test('an update replaces monitors, lets others join, moves the onset and tells what happened', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const id = await open(storage, tenant)
    const joined = monitorOf('m2', { onsetMs: AT_MS - HOUR_MS })
    const worse = monitorOf('m1', { after: { pass: 20, fail: 80 } })
    const event = { kind: 'joined', atMs: AT_MS + 2 * HOUR_MS, monitorId: 'm2' } as const
    const update = { expected: 'open', state: 'open', events: [event], atMs: AT_MS + 2 * HOUR_MS } as const
    const examples = [{ evaluation: 11, traceId: traceIdOf('t11') }]
    assert.equal(
      await storage.updateIncident(tenant, id, { ...update, monitors: [worse, joined], examples }),
      true,
    )
    const found = await storage.getIncident(tenant, id)
    assert.deepEqual(found?.monitors, [joined, worse])
    assert.equal(found?.onsetMs, AT_MS - HOUR_MS)
    assert.deepEqual(found?.events.at(-1), event)
    assert.deepEqual(found?.examples, examples)
  })

  test('a person dismisses an incident with a reason and opens it again; the service does not overrule it', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const id = await open(storage, tenant)
    const decision = {
      state: 'dismissed',
      actor: 'Ada',
      reason: 'A test',
      atMs: AT_MS + 2 * HOUR_MS,
    } as const
    const dismissed = await storage.decideIncident(tenant, id, decision)
    assert.equal(dismissed?.state, 'dismissed')
    assert.equal(dismissed?.closedAtMs, decision.atMs)
    const { state: _, ...said } = decision
    assert.deepEqual(dismissed?.events.at(-1), { kind: 'dismissed', ...said })
    const again = await storage.decideIncident(tenant, id, { ...decision, actor: 'Bob', atMs: AT_MS })
    assert.deepEqual(again, dismissed, 'it is dismissed already')
    const recovery = { expected: 'open', state: 'recovered', monitors: [], events: [], atMs: AT_MS } as const
    assert.equal(await storage.updateIncident(tenant, id, recovery), false)
    const reopened = await storage.decideIncident(tenant, id, { state: 'open', atMs: AT_MS + 3 * HOUR_MS })
    assert.equal(reopened?.state, 'open')
    assert.equal(reopened?.closedAtMs, undefined)
    assert.equal(reopened?.events.at(-1)?.kind, 'reopened')
    assert.equal(await storage.decideIncident(tenant, 'another', decision), undefined)
  })

  test('reopening a recovered incident watches its monitors again', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const id = await open(storage, tenant)
    const atMs = AT_MS + 2 * HOUR_MS
    const monitors = [monitorOf('m1', { state: 'recovered', closedAtMs: atMs })]
    const recovery = { expected: 'open', state: 'recovered', monitors, events: [], atMs } as const
    assert.equal(await storage.updateIncident(tenant, id, recovery), true)
    const reopened = await storage.decideIncident(tenant, id, { state: 'open', atMs })
    assert.deepEqual(reopened?.monitors, [monitorOf('m1')])
  })

  test('another tenant sees no incident and changes none', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const stranger = await createTenant(storage, 'two')
    const id = await open(storage, tenant)
    assert.deepEqual(await idsIn(storage, stranger), [])
    assert.equal(await storage.getIncident(stranger, id), undefined)
    assert.equal(await storage.decideIncident(stranger, id, { state: 'dismissed', atMs: AT_MS }), undefined)
    const update = { expected: 'open', state: 'ended', monitors: [], events: [], atMs: AT_MS } as const
    assert.equal(await storage.updateIncident(stranger, id, update), false)
    assert.equal((await storage.getIncident(tenant, id))?.state, 'open')
  })

  test('a deleted trace leaves the examples, and cannot come back to them', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const id = await open(storage, tenant)
    await storage.deleteTrace(tenant, traceIdOf('t9'), AT_MS)
    assert.deepEqual((await storage.getIncident(tenant, id))?.examples, [
      { evaluation: 7, traceId: traceIdOf('t7') },
    ])
    const update = { expected: 'open', state: 'open', monitors: [], events: [], atMs: AT_MS } as const
    await storage.updateIncident(tenant, id, { ...update, examples: incidentOf().examples })
    assert.equal((await storage.getIncident(tenant, id))?.examples.length, 1)
  })

  test('deleting the data of a project takes its incidents with it', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const secret = 'gpt-of-the-deleted-project'
    const values = [{ property: 'model', value: secret, shareBefore: 0, shareAfter: 1 } as const]
    const id = await open(storage, tenant, { changes: { ...incidentOf().changes, values } })
    await storage.decideIncident(tenant, id, { state: 'dismissed', reason: `${secret}?`, atMs: AT_MS })
    await storage.deleteProjectData(tenant, AT_MS)
    assert.deepEqual(await idsIn(storage, tenant), [])
    await eraseAll(storage)
    const files = await harness.files(storage)
    assert.equal(
      files.some((file) => file.includes(secret)),
      false,
    )
  })

  test('drops incidents that were closed long ago with all their parts, and no open one', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const old = await open(storage, tenant)
    const other = await open(storage, tenant, { application: 'bot' })
    const decision = { state: 'dismissed', reason: 'the reason that went', atMs: AT_MS + HOUR_MS } as const
    await storage.decideIncident(tenant, old, decision)
    while (await storage.work.dropExpired(AT_MS + 3 * HOUR_MS, 1));
    assert.deepEqual(await idsIn(storage, tenant), [other])
    assert.equal((await storage.getIncident(tenant, other))?.events.length, 1)
    assert.equal((await storage.getIncident(tenant, other))?.monitors.length, 1)
  })

  test('watches active monitors that judge, and tells their rules apart', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const rule = judgesBy(atLeast('char_count', 5), LABELS)
    const { 'char-count': id = '' } = await bindSetup(
      storage,
      tenant,
      'a',
      { evaluators: [charCount] },
      {},
      rule,
    )
    await bindSetup(storage, tenant, 'b', { evaluators: [wordCount] }, {}, NEUTRAL)
    const [first, ...others] = await storage.listWatchedMonitors(tenant, 10)
    assert.deepEqual(others, [])
    assert.deepEqual([first?.monitorId, first?.version, first?.isSettled], [id, 1, true])
    await admitAndScore(storage, tenant, [{ atMs: AT_MS }], () => ({
      status: 'scored',
      output: { char_count: 4 },
    }))
    const [monitor] = await storage.verdicts.listRuledMonitors({ afterNumber: 0, limit: 1, isStale: false })
    const stricter = judgesBy(atLeast('char_count', 9), LABELS)
    await storage.verdicts.assignRules([{ monitor: monitor?.number ?? 0, rule: stricter }])
    const [changed] = await storage.listWatchedMonitors(tenant, 10)
    assert.equal(changed?.isSettled, false, 'stored verdicts are those of the old rule')
    while (await storage.verdicts.deriveVerdicts(100));
    const [settled] = await storage.listWatchedMonitors(tenant, 10)
    assert.equal(settled?.isSettled, true)
    assert.notEqual(settled?.ruleHash, first?.ruleHash)
    await storage.deleteSetup(tenant, 'a', AT_MS)
    assert.deepEqual(await storage.listWatchedMonitors(tenant, 10), [])
  })

  test('of two processes, one claims the look at a project', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const query = { afterNumber: 0, limit: 10 }
    const [project] = await storage.incidents.listWatchedProjects(query)
    assert.ok(project)
    assert.deepEqual(project.tenant, { orgId: tenant.orgId, projectId: tenant.projectId })
    assert.deepEqual([project.newestEvaluation, project.lookedThrough, project.lookedAtMs], [0, 0, 0])
    const claims = await Promise.all([1, 2].map(() => storage.incidents.claimLook(project, AT_MS)))
    assert.deepEqual(claims.filter(Boolean), [true])
    await bindSetup(storage, tenant, 'a', { evaluators: [charCount] })
    await admitAndScore(storage, tenant, [{ atMs: AT_MS }], () => ({ status: 'scored', output: {} }))
    const [again] = await storage.incidents.listWatchedProjects(query)
    assert.equal(again?.lookedAtMs, AT_MS)
    assert.ok((again?.newestEvaluation ?? 0) > 0)
    assert.deepEqual(
      await storage.incidents.listWatchedProjects({ ...query, afterNumber: project.number }),
      [],
    )
  })
}
