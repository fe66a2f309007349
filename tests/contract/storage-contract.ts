import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { KEY_PERMISSIONS } from '../../src/domain/tenant.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { describeScores } from './annotation-contract.ts'
import { describeApplications } from './application-contract.ts'
import { describeContents } from './content-contract.ts'
import {
  AT_MS,
  charCount,
  create,
  createTenant,
  newKey,
  newTenant,
  nextId,
  rule,
  type StorageHarness,
  storeWithTenant,
  wordCount,
} from './contract-fixtures.ts'
import { describeCustomEvaluators, describeExecutions } from './custom-evaluator-contract.ts'
import { describeDeletions } from './deletion-contract.ts'
import { describeExplanations } from './explain-contract.ts'
import { describeFairClaims } from './fair-claim-contract.ts'
import { describeFolds } from './fold-contract.ts'
import { describeImages } from './image-contract.ts'
import { describeIncidents } from './incident-contract.ts'
import { describeJobs } from './job-contract.ts'
import { describeJudges } from './judge-contract.ts'
import { describeLimits } from './limit-contract.ts'
import { describeOverview } from './overview-contract.ts'
import { describeRestoring } from './restore-contract.ts'
import { describeResults } from './result-contract.ts'
import { describeReviews } from './review-contract.ts'
import { describeSavedViews } from './saved-view-contract.ts'
import { describeSkipped } from './skipped-contract.ts'
import { describeTraces } from './trace-contract.ts'
import { describeUndigested } from './undigested-contract.ts'
import { describeUnits } from './unit-contract.ts'
import { describeVerdicts } from './verdict-contract.ts'
import { describeWork } from './work-contract.ts'

/** The promises of every store, whatever its engine. An adapter is finished when this passes on it. */
export function describeStorage(harness: StorageHarness): void {
  describe(`${harness.name} storage`, () => {
    describeSetups(harness)
    describeRestoring(harness)
    describeSavedViews(harness)
    describeTenants(harness)
    describeIsolation(harness)
    describeDurability(harness)
    describeWork(harness)
    describeFairClaims(harness)
    describeTraces(harness)
    describeUndigested(harness)
    describeUnits(harness)
    describeExplanations(harness)
    describeResults(harness)
    describeOverview(harness)
    describeScores(harness)
    describeReviews(harness)
    describeContents(harness)
    describeImages(harness)
    describeCustomEvaluators(harness)
    describeExecutions(harness)
    describeJobs(harness)
    describeSkipped(harness)
    describeDeletions(harness)
    describeJudges(harness)
    describeLimits(harness)
    describeVerdicts(harness)
    describeIncidents(harness)
    describeApplications(harness)
    describeFolds(harness)
  })
}

function describeSetups(harness: StorageHarness): void {
  test('stores a new setup and reads back exactly what it answered', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const created = await create(storage, tenant, 'a', {
      evaluators: [charCount, wordCount],
      evaluatorConfigs: [
        {
          ...charCount,
          override: {
            scope: 'trace',
            config: { threshold: 0.5 },
            mapping: { text: { from: { field: 'completion' }, jsonPath: '0.text', regex: '(.*)' } },
            samplingRate: 0.25,
          },
        },
      ],
      selector: [rule, { ...rule, operator: 'in', values: ['a', 'b'] }],
      entityType: 'agent',
      entityValue: 'Überprüfer 👋',
    })
    assert.equal(created.status, 'pending')
    assert.deepEqual(
      created.entries.map(({ status }) => status),
      ['pending', 'pending'],
    )
    assert.deepEqual(await storage.getSetup(tenant, 'a'), created)
    assert.deepEqual(await storage.listSetups(tenant, {}), [created])
  })

  test('refuses a second setup of the same external id and keeps the first', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const first = await create(storage, tenant, 'a', { evaluators: [charCount] })
    const draft = { id: nextId(), externalId: 'a', change: { evaluators: [wordCount] } }
    assert.equal(await storage.createSetup(tenant, draft, AT_MS), 'exists')
    assert.deepEqual(await storage.getSetup(tenant, 'a'), first)
  })

  test('lets exactly one of many simultaneous creates win', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const results = await Promise.all(
      Array.from({ length: 20 }, () =>
        storage.createSetup(
          tenant,
          { id: nextId(), externalId: 'a', change: { evaluators: [charCount] } },
          AT_MS,
        ),
      ),
    )
    assert.equal(results.filter((result) => result !== 'exists').length, 1)
  })

  test('applies simultaneous updates one after the other, losing none', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 'a', { evaluators: [charCount] })
    const updates = Array.from({ length: 20 }, (_, at) =>
      storage.updateSetup(
        tenant,
        'a',
        { entityValue: `value ${at}`, selector: [{ ...rule, value: `v${at}` }] },
        AT_MS,
      ),
    )
    await Promise.all(updates)
    assert.equal((await storage.getSetup(tenant, 'a'))?.version, 21)
  })

  test('replaces given fields, keeps the rest, and goes back to pending', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const created = await create(storage, tenant, 'a', {
      evaluators: [charCount],
      selector: [rule],
      entityType: 'agent',
    })
    const updated = await storage.updateSetup(tenant, 'a', { evaluators: [wordCount] }, AT_MS + 1_000)
    assert.deepEqual(updated, {
      ...created,
      entries: [{ ...wordCount, override: {}, status: 'pending' }],
      version: 2,
      updatedAtMs: AT_MS + 1_000,
    })
    assert.deepEqual(await storage.getSetup(tenant, 'a'), updated)
  })

  test('keeps the version when an update changes nothing', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const change = { evaluators: [charCount], selector: [rule] }
    await create(storage, tenant, 'a', change)
    const updated = await storage.updateSetup(tenant, 'a', change, AT_MS + 1_000)
    assert.equal(updated?.version, 1)
  })

  test('answers undefined for an update of nothing and false for a delete of nothing', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    assert.equal(await storage.updateSetup(tenant, 'a', {}, AT_MS), undefined)
    assert.equal(await storage.deleteSetup(tenant, 'a', AT_MS), false)
    assert.equal(await storage.getSetup(tenant, 'a'), undefined)
  })

  test('forgets a deleted setup and takes its external id again, under a new id', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const first = await create(storage, tenant, 'a', { evaluators: [charCount] })
    assert.equal(await storage.deleteSetup(tenant, 'a', AT_MS), true)
    assert.deepEqual(await storage.listSetups(tenant, {}), [])
    assert.equal(await storage.deleteSetup(tenant, 'a', AT_MS), false)
    const second = await create(storage, tenant, 'a', { evaluators: [charCount] })
    assert.notEqual(second.id, first.id)
    assert.equal(second.version, 1)
  })

  test('upserts in the order of the drafts: new ones are created, known ones replaced', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const known = await create(storage, tenant, 'known', { evaluators: [charCount], selector: [rule] })
    const drafts = ['z', 'known', 'b'].map((externalId) => ({
      id: nextId(),
      externalId,
      change: { evaluators: [wordCount] },
    }))
    const answers = await storage.upsertSetups(tenant, drafts, AT_MS + 5)
    assert.ok(answers !== 'full')
    assert.deepEqual(
      answers.map(({ externalId }) => externalId),
      ['z', 'known', 'b'],
    )
    assert.equal(answers[1]?.id, known.id)
    assert.deepEqual(answers[1]?.selector, known.selector)
    assert.equal((await storage.listSetups(tenant, {})).length, 3)
  })

  test('leaves nothing behind when one draft of an upsert cannot be written', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const taken = await create(storage, tenant, 'taken', { evaluators: [charCount] })
    // The second draft brings an id that is in use, which only the store itself can notice.
    const drafts = [
      { id: nextId(), externalId: 'new', change: { evaluators: [charCount] } },
      { id: taken.id, externalId: 'other', change: { evaluators: [charCount] } },
    ]
    await assert.rejects(storage.upsertSetups(tenant, drafts, AT_MS))
    assert.deepEqual(await storage.listSetups(tenant, {}), [taken])
  })

  test('lists in order of creation, filters, and pages without gaps or repeats', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    for (const externalId of ['c', 'a', 'b'])
      await create(storage, tenant, externalId, { evaluators: [charCount] })
    const names = async (filter: Parameters<Storage['listSetups']>[1]) =>
      (await storage.listSetups(tenant, filter)).map(({ externalId }) => externalId)
    assert.deepEqual(await names({}), ['c', 'a', 'b'])
    assert.deepEqual(await names({ externalId: 'a' }), ['a'])
    assert.deepEqual(await names({ status: 'pending', externalId: 'b' }), ['b'])
    assert.deepEqual(await names({ status: 'completed' }), [])
    assert.deepEqual(await names({ status: 'no such status' }), [])
    const [first, second] = await storage.listSetups(tenant, { limit: 2 })
    assert.deepEqual([first?.externalId, second?.externalId], ['c', 'a'])
    assert.deepEqual(await names({ limit: 2, afterId: second?.id ?? '' }), ['b'])
  })

  test('tells external ids apart that differ only in case, accents or trailing space', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const ids = ['a', 'A', 'a ', 'á', 'a\u0301', '', "'; DROP TABLE setups; --"]
    for (const id of ids) await create(storage, tenant, id, { evaluators: [charCount] })
    for (const id of ids) assert.equal((await storage.getSetup(tenant, id))?.externalId, id)
  })
}

function describeTenants(harness: StorageHarness): void {
  test('is empty until the first organization', async () => {
    const storage = await harness.open()
    assert.equal(await storage.system.isEmpty(), true)
    await newTenant(storage, 'one')
    assert.equal(await storage.system.isEmpty(), false)
  })

  test('finds the principal behind a hash, with everything that follows from the key', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const found = await storage.system.findPrincipal('hash of one')
    assert.ok(found)
    const { keyId, ...rest } = found.principal
    assert.ok(keyId)
    assert.deepEqual(rest, {
      ...tenant,
      environment: 'prd',
      permissions: [...KEY_PERMISSIONS],
      isOperator: false,
      administersOrganization: true,
    })
    assert.equal(await storage.system.findPrincipal('hash of nobody'), undefined)
  })

  test('only a key of the default project administers the organization, and the last such key stays', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const projectId = nextId()
    const environments = [{ envProjectId: nextId(), slug: 'prd' }]
    await storage.createProject(tenant, {
      id: projectId,
      name: 'Side',
      slug: 'side',
      environments,
      createdAtMs: AT_MS,
    })
    await storage.createApiKey(tenant, newKey(projectId, 'hash of side', KEY_PERMISSIONS))
    const side = (await storage.system.findPrincipal('hash of side'))?.principal
    assert.equal(side?.administersOrganization, false)
    const first = (await storage.system.findPrincipal('hash of one'))?.principal
    assert.equal(await storage.revokeApiKey(tenant, first?.keyId ?? '', AT_MS), 'last_admin')
    assert.equal(await storage.revokeApiKey(tenant, side?.keyId ?? '', AT_MS), 'revoked')
  })

  test('refuses an organization whose key is stored already, and writes none of it', async () => {
    const { storage } = await storeWithTenant(harness)
    assert.equal(await newTenant(storage, 'one'), 'exists')
    assert.equal((await storage.system.listOrganizations()).length, 1)
  })

  test('lists projects with their environments and refuses a slug twice', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const project = {
      id: nextId(),
      name: 'Second',
      slug: 'second',
      environments: [{ envProjectId: nextId(), slug: 'stg' }],
      createdAtMs: AT_MS,
    }
    assert.equal(await storage.createProject(tenant, project), 'created')
    assert.equal(await storage.createProject(tenant, { ...project, id: nextId() }), 'exists')
    const place = { orgId: tenant.orgId, projectId: project.id }
    const environment = { envProjectId: nextId(), slug: 'dev' }
    assert.equal(await storage.createEnvironment(place, environment, AT_MS), 'created')
    assert.equal(
      await storage.createEnvironment(place, { ...environment, envProjectId: nextId() }, AT_MS),
      'exists',
    )
    const listed = (await storage.listProjects(tenant)).find(({ id }) => id === project.id)
    assert.deepEqual(listed, { ...project, environments: [environment, ...project.environments] })
  })

  test('makes keys, lists them without the hash, and ends them at once', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const key = await storage.createApiKey(tenant, newKey(tenant.projectId, 'hash of second', ['ingest']))
    assert.ok(key !== 'no_environment' && key !== 'full')
    assert.deepEqual((await storage.system.findPrincipal('hash of second'))?.principal.permissions, [
      'ingest',
    ])
    const listed = await storage.listApiKeys(tenant)
    assert.deepEqual(
      listed.find(({ id }) => id === key.id),
      key,
    )
    assert.ok(!JSON.stringify(listed).includes('hash of'))
    assert.equal(await storage.revokeApiKey(tenant, key.id, AT_MS + 1), 'revoked')
    assert.equal(await storage.system.findPrincipal('hash of second'), undefined)
    assert.equal(await storage.revokeApiKey(tenant, key.id, AT_MS + 2), 'not_found')
    const revoked = (await storage.listApiKeys(tenant)).find(({ id }) => id === key.id)
    assert.equal(revoked?.revokedAtMs, AT_MS + 1)
  })

  test('names the caller of a key, and nobody else than its own', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const other = await createTenant(storage, 'two')
    const key = await storage.createApiKey(tenant, newKey(tenant.projectId, 'hash of the named', ['read']))
    assert.ok(key !== 'no_environment' && key !== 'full')
    const caller = { ...tenant, keyId: key.id }
    const [project] = await storage.listProjects(tenant)
    const organization = (await storage.system.listOrganizations()).find(({ id }) => id === tenant.orgId)
    assert.deepEqual(await storage.nameCaller(caller), {
      organization: organization?.name,
      retentionHours: organization?.retentionHours,
      project: project?.name,
      projectSlug: project?.slug,
      key: key.name,
    })
    for (const field of ['orgId', 'projectId', 'envProjectId'] as const) {
      assert.equal(await storage.nameCaller({ ...caller, [field]: other[field] }), undefined)
    }
    assert.equal(await storage.nameCaller({ ...other, keyId: key.id }), undefined)
  })

  test('does not let the last admin key be revoked', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const [first] = await storage.listApiKeys(tenant)
    assert.equal(await storage.revokeApiKey(tenant, first?.id ?? '', AT_MS), 'last_admin')
    await storage.createApiKey(tenant, newKey(tenant.projectId, 'hash of another admin', ['admin']))
    assert.equal(await storage.revokeApiKey(tenant, first?.id ?? '', AT_MS), 'revoked')
  })

  test('refuses a key for an environment that is not there', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const key = { ...newKey(tenant.projectId, 'hash', ['read']), environment: 'nowhere' }
    assert.equal(await storage.createApiKey(tenant, key), 'no_environment')
  })
}

function describeIsolation(harness: StorageHarness): void {
  test('keeps two tenants apart in every method, also for the same external id', async () => {
    const { storage, tenant: one } = await storeWithTenant(harness)
    const two = await createTenant(storage, 'two')
    const mine = await create(storage, one, 'a', { evaluators: [charCount] })
    const theirs = await create(storage, two, 'a', { evaluators: [wordCount] })

    assert.deepEqual(await storage.listSetups(one, {}), [mine])
    assert.deepEqual(await storage.listSetups(two, {}), [theirs])
    await storage.updateSetup(two, 'a', { entityType: 'theirs' }, AT_MS)
    await storage.upsertSetups(
      two,
      [{ id: nextId(), externalId: 'a', change: { entityValue: 'theirs' } }],
      AT_MS,
    )
    assert.deepEqual(await storage.getSetup(one, 'a'), mine)
    assert.equal(await storage.deleteSetup(two, 'a', AT_MS), true)
    assert.deepEqual(await storage.getSetup(one, 'a'), mine)

    const [key] = await storage.listApiKeys(one)
    assert.ok(key)
    assert.equal(await storage.revokeApiKey(two, key.id, AT_MS), 'not_found')
    assert.equal(
      await storage.createApiKey(two, newKey(one.projectId, 'hash of an intruder', ['admin'])),
      'no_environment',
    )
    assert.equal((await storage.listApiKeys(two)).length, 1)
    const foreign = { orgId: two.orgId, projectId: one.projectId }
    const environment = { envProjectId: nextId(), slug: 'dev' }
    assert.equal(await storage.createEnvironment(foreign, environment, AT_MS), 'no_project')
    assert.deepEqual(
      (await storage.listProjects(two)).map(({ id }) => id),
      [two.projectId],
    )
  })

  test('does not reach a project through another organization', async () => {
    const { storage, tenant: one } = await storeWithTenant(harness)
    const two = await createTenant(storage, 'two')
    await create(storage, one, 'a', { evaluators: [charCount] })
    const forged = { ...one, orgId: two.orgId }
    assert.equal(await storage.getSetup(forged, 'a'), undefined)
    assert.deepEqual(await storage.listSetups(forged, {}), [])
    assert.equal(await storage.deleteSetup(forged, 'a', AT_MS), false)
    assert.equal(await storage.updateSetup(forged, 'a', {}, AT_MS), undefined)
    await assert.rejects(create(storage, forged, 'b', { evaluators: [charCount] }))
  })
}

function describeDurability(harness: StorageHarness): void {
  test('holds everything after it was closed and opened again', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const setup = await create(storage, tenant, 'a', { evaluators: [charCount], selector: [rule] })
    const reopened = await harness.reopen(storage)
    assert.deepEqual(await reopened.getSetup(tenant, 'a'), setup)
    assert.ok(await reopened.system.findPrincipal('hash of one'))
  })

  test('finishes what it was given before it closes, and refuses what comes later', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const writes = Array.from({ length: 50 }, (_, at) =>
      create(storage, tenant, `s${at}`, { evaluators: [charCount] }),
    )
    await storage.close()
    assert.equal((await Promise.all(writes)).length, 50)
    await assert.rejects(storage.getSetup(tenant, 's1'))
  })

  test('answers a ping', async () => {
    const { storage } = await storeWithTenant(harness)
    await storage.system.ping()
  })
}
