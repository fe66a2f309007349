import assert from 'node:assert/strict'
import { test } from 'node:test'
import { APPLICATIONS_MAX, DEPLOYMENTS_PER_APPLICATION_MAX } from '../../src/domain/application.ts'
import type { EnvironmentTenant, ProjectTenant } from '../../src/domain/tenant.ts'
import type { DeploymentDigest } from '../../src/domain/trace-digest.ts'
import type { VerdictRule } from '../../src/domain/verdict.ts'
import { atLeast, judgesBy } from '../../src/evaluators/kit/verdict-rule.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { AT_MS, charCount, createTenant, type StorageHarness, storeWithTenant } from './contract-fixtures.ts'
import { carryOn, rerun, start } from './job-fixtures.ts'
import { admitAndScore, bindSetup, score, type Verdict } from './result-fixtures.ts'
import { admitNamed } from './span-fixtures.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const HOUR = AT_MS - (AT_MS % HOUR_MS)
const DAY = { fromMs: HOUR - 6 * HOUR_MS, toMs: HOUR + 18 * HOUR_MS }
const longerThan = (chars: number): VerdictRule =>
  judgesBy(atLeast('char_count', chars), { pass: 'Long', fail: 'Short' })

/** The unit of an application: hours after the first one, and the number that it is scored with. */
type GivenUnit = readonly [application: string | undefined, hour: number, value: number | 'error']

function scoreUnits(storage: Storage, tenant: EnvironmentTenant, units: readonly GivenUnit[]) {
  const spans = units.map(([, hour], at) => ({ atMs: HOUR + hour * HOUR_MS + at }))
  return admitAndScore(storage, tenant, spans, ({ atMs }) => verdictOn(units[atMs % HOUR_MS] as GivenUnit))
}

function verdictOn([application, , value]: GivenUnit): Verdict {
  return {
    ...(application === undefined ? {} : { application }),
    ...(value === 'error'
      ? { status: 'error' as const, errorMessage: 'no text' }
      : { status: 'scored' as const, output: { char_count: value } }),
  }
}

/** The counts as short rows: application, hour after the first one, pass, fail, neutral, not scored. */
async function counts(storage: Storage, tenant: ProjectTenant, query = {}) {
  const rows = await storage.readApplicationCounts(tenant, { ...DAY, bucketMs: HOUR_MS, ...query })
  return rows
    .map(({ application, startMs, pass, fail, neutral, notScored }) =>
      [application ?? '-', (startMs - HOUR) / HOUR_MS, pass, fail, neutral, notScored].join(' '),
    )
    .toSorted()
}

/** Minutes that verification finds wrong, over all monitor versions. */
async function wrongMinutes(storage: Storage): Promise<number[]> {
  const versions = await storage.verification.listMonitorVersions(0, 100)
  const found = await Promise.all(
    versions.map((version) => storage.verification.checkRollups(version, 720, DAY.toMs)),
  )
  return found.flatMap(({ minutes }) => minutes)
}

/** Stores a batch that says that it came from these versions. */
async function deploy(
  storage: Storage,
  tenant: EnvironmentTenant,
  name: string,
  ...versions: readonly (readonly [version: string, atMs: number, application?: string])[]
): Promise<void> {
  const batchId = await admitNamed(storage, tenant, name)
  const { after } = await storage.digest.readUndigested(10)
  const deployments = versions.map(
    ([version, atMs, application = 'shop']): DeploymentDigest => ({
      ...{ application, version, firstMs: atMs, lastMs: atMs },
    }),
  )
  assert.ok(await storage.digest.recordDigests(after, [{ batchId, traces: [], usage: [], deployments }], 0))
}

const seen = { fromMs: AT_MS - DAY_MS, toMs: AT_MS + DAY_MS, limit: 1_000 }

/** The promises of every store about applications. */
export function describeApplications(harness: StorageHarness): void {
  test('counts verdicts by application and hour, and finds evaluations by application', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const stranger = await createTenant(storage, 'stranger')
    const { 'char-count': monitorId } = await bindSetup(
      storage,
      tenant,
      'a',
      { evaluators: [charCount] },
      {},
      longerThan(5),
    )
    await scoreUnits(storage, tenant, [
      ['shop', 0, 4],
      ['shop', 0, 5],
      ['shop', 1, 9],
      ['sh\0op\u0001', 1, 1],
      [undefined, 1, 7],
      ['shop', 2, 'error'],
    ])
    await scoreUnits(storage, tenant, [['shop', 0, 2]])
    assert.deepEqual(await counts(storage, tenant), [
      '- 1 1 0 0 0',
      'sh\0op\u0001 1 0 1 0 0',
      'shop 0 1 2 0 0',
      'shop 1 1 0 0 0',
      'shop 2 0 0 0 1',
    ])
    assert.deepEqual(await counts(storage, tenant, { application: 'shop', bucketMs: DAY_MS }), [
      `shop ${(DAY_MS * Math.floor(HOUR / DAY_MS) - HOUR) / HOUR_MS} 2 2 0 1`,
    ])
    assert.deepEqual(await counts(storage, tenant, { fromMs: HOUR + HOUR_MS, toMs: HOUR + HOUR_MS + 1 }), [
      '- 1 1 0 0 0',
      'sh\0op\u0001 1 0 1 0 0',
      'shop 1 1 0 0 0',
    ])
    const [row] = await storage.readApplicationCounts(tenant, { ...DAY, bucketMs: HOUR_MS })
    assert.deepEqual([row?.monitorId, row?.version], [monitorId, 1])
    const find = async (of: ProjectTenant, filter: object) =>
      (await storage.listEvaluations(of, filter, { order: 'newest', limit: 10 })).evaluations.map(
        ({ application, output }) => [application, output?.['char_count']],
      )
    assert.deepEqual(await find(tenant, { application: 'shop', verdict: 'fail' }), [
      ['shop', 2],
      ['shop', 4],
    ])
    assert.deepEqual(await find(tenant, { application: 'shop', verdict: 'fail', monitorId }), [
      ['shop', 2],
      ['shop', 4],
    ])
    assert.equal((await find(tenant, { application: 'shop' })).length, 5)
    assert.deepEqual(await find(tenant, { verdict: 'pass', minValue: 7, maxValue: 7 }), [[undefined, 7]])
    assert.deepEqual(await find(tenant, { application: 'unheard of' }), [])
    assert.deepEqual(await find(stranger, { application: 'shop' }), [])
    assert.deepEqual(await counts(storage, stranger), [])
    assert.deepEqual(await wrongMinutes(storage), [])
  })

  test('lists applications by name with the times of their units, and tells apart only so many', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const stranger = await createTenant(storage, 'stranger')
    await bindSetup(storage, tenant, 'a', { evaluators: [charCount] })
    await scoreUnits(storage, tenant, [
      ['shop', 3, 1],
      ['bank', 1, 1],
    ])
    await scoreUnits(storage, tenant, [
      ['shop', 1, 1],
      ['shop', 4, 1],
    ])
    const [bank, shop] = await storage.listApplications(tenant, { limit: 10 })
    assert.deepEqual([bank?.name, shop?.name], ['bank', 'shop'])
    assert.deepEqual([shop?.firstSeenMs, shop?.lastSeenMs], [HOUR + HOUR_MS, HOUR + 4 * HOUR_MS + 1])
    assert.deepEqual(await storage.listApplications(tenant, { limit: 10, afterName: 'bank' }), [shop])
    assert.deepEqual(await storage.listApplications(tenant, { limit: 1 }), [bank])
    assert.deepEqual(await storage.listApplications(stranger, { limit: 10 }), [])
    const many = Array.from({ length: APPLICATIONS_MAX }, (_, at) => [`many ${at}`, 5, 1] as const)
    await scoreUnits(storage, tenant, many)
    await scoreUnits(storage, tenant, many)
    assert.equal((await storage.listApplications(tenant, { limit: 1_000 })).length, APPLICATIONS_MAX)
    const [none] = (await counts(storage, tenant)).filter((row) => row.startsWith('- '))
    assert.equal(none, '- 5 0 0 4 0', 'twice the two that there is no room for')
    await scoreUnits(storage, stranger, [])
    assert.deepEqual(await wrongMinutes(storage), [])
  })

  test('a unit that claims to begin later than now was seen when it was recorded', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await bindSetup(storage, tenant, 'a', { evaluators: [charCount] })
    const ahead = Math.ceil((Date.now() + 365 * DAY_MS - HOUR) / HOUR_MS)
    await scoreUnits(storage, tenant, [['shop', ahead, 1]])
    const [shop] = await storage.listApplications(tenant, { limit: 1 })
    assert.ok(shop && shop.lastSeenMs <= Date.now() && shop.firstSeenMs === shop.lastSeenMs)
  })

  test('counts follow a changed rule, a rerun and a deleted trace', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const change = { evaluators: [charCount] }
    await bindSetup(storage, tenant, 'a', change, {}, longerThan(5))
    const spans = await scoreUnits(storage, tenant, [
      ['shop', 0, 4],
      ['shop', 0, 5],
      ['shop', 0, 'error'],
      ['shop', 1, 'error'],
    ])
    assert.deepEqual(await counts(storage, tenant), ['shop 0 1 1 0 1', 'shop 1 0 0 0 1'])
    await bindSetup(storage, tenant, 'a', change, {}, longerThan(4))
    while (await storage.verdicts.deriveVerdicts(1));
    assert.deepEqual(await counts(storage, tenant), ['shop 0 2 0 0 1', 'shop 1 0 0 0 1'])
    await start(storage, tenant, rerun({ statuses: ['error'] }))
    await carryOn(storage)
    await score(storage, spans, () => verdictOn(['bank', 0, 1]))
    const ofBank = ['bank 0 0 1 0 0', 'bank 1 0 1 0 0']
    assert.deepEqual(await counts(storage, tenant), [...ofBank, 'shop 0 2 0 0 0'])
    await storage.deleteTrace(tenant, spans[0]?.traceId ?? '', AT_MS)
    while (await storage.erasure.eraseDeleted(AT_MS));
    assert.deepEqual(await counts(storage, tenant), [...ofBank, 'shop 0 1 0 0 0'])
    assert.deepEqual(await wrongMinutes(storage), [])
  })

  test('tells the versions of an application, of which each but the first is a deploy', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const stranger = await createTenant(storage, 'stranger')
    const at = (hours: number) => AT_MS - hours * HOUR_MS
    await deploy(storage, tenant, 'a', ['1.0', at(9)], ['1.1', at(6)], ['1.0', at(7)], ['7', at(8), 'bank'])
    await deploy(storage, tenant, 'b', ['1.0', at(5)], ['1.1', at(6.5)])
    // Later than it arrived, or at no time at all: when it arrived.
    await deploy(storage, tenant, 'c', ['1.2', AT_MS + DAY_MS])
    await deploy(storage, tenant, 'd', ['8', 0, 'bank'])
    const told = async (query = {}) =>
      (await storage.listDeployments(tenant, { ...seen, ...query })).map(
        ({ application, environment, version, previousVersion = '-', firstSeenMs, lastSeenMs }) =>
          [
            ...[application, environment, version, previousVersion],
            ...[(AT_MS - firstSeenMs) / HOUR_MS, (AT_MS - lastSeenMs) / HOUR_MS],
          ].join(' '),
      )
    const all = [
      'shop prd 1.2 1.1 0 0',
      'bank prd 8 7 0 0',
      'shop prd 1.1 1.0 6.5 6',
      'bank prd 7 - 8 8',
      'shop prd 1.0 - 9 5',
    ]
    assert.deepEqual(await told(), all)
    assert.deepEqual(await told({ application: 'bank' }), [all[1], all[3]])
    assert.deepEqual(await told({ fromMs: at(8), toMs: AT_MS }), [all[2], all[3]])
    const [one, two] = await storage.listDeployments(tenant, { ...seen, limit: 2 })
    assert.ok(one && two)
    assert.deepEqual(await told({ after: one }), all.slice(1))
    assert.deepEqual(await told({ after: two, limit: 1 }), [all[2]])
    assert.deepEqual(await storage.listDeployments(stranger, seen), [])
  })

  test('keeps the newest versions of an application, and only so many', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const versions = Array.from(
      { length: DEPLOYMENTS_PER_APPLICATION_MAX + 3 },
      (_, at) => [`v${at}`, AT_MS - DAY_MS + 1 + at] as const,
    )
    await deploy(storage, tenant, 'a', ...versions.slice(0, 10))
    await deploy(storage, tenant, 'b', ...versions.slice(10))
    const kept = await storage.listDeployments(tenant, seen)
    assert.equal(kept.length, DEPLOYMENTS_PER_APPLICATION_MAX)
    assert.deepEqual([kept[0]?.version, kept.at(-1)?.version], ['v102', 'v3'])
    const services = Array.from(
      { length: APPLICATIONS_MAX },
      (_, at) => ['1', AT_MS, `service ${at}`] as const,
    )
    await deploy(storage, tenant, 'c', ...services)
    const bounded = await storage.listDeployments(tenant, seen)
    assert.equal(bounded.length, DEPLOYMENTS_PER_APPLICATION_MAX + APPLICATIONS_MAX - 1)
  })

  test('all of it goes with the data of its project and when it is no longer kept', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await bindSetup(storage, tenant, 'a', { evaluators: [charCount] })
    const name = 'an application of ours'
    await scoreUnits(storage, tenant, [[name, 0, 1]])
    await deploy(storage, tenant, 'a', ['a version of ours', AT_MS, name])
    const isStored = async () =>
      (await harness.files(storage)).some((file) => file.includes(name) || file.includes('a version of ours'))
    assert.ok(await isStored())
    while (await storage.work.dropExpired(HOUR + 399 * DAY_MS, 720));
    assert.equal((await storage.listApplications(tenant, { limit: 1 })).length, 1)
    while (await storage.work.dropExpired(HOUR + 402 * DAY_MS, 720));
    assert.deepEqual(await counts(storage, tenant), [])
    assert.deepEqual(await storage.listApplications(tenant, { limit: 1 }), [])
    assert.deepEqual(await storage.listDeployments(tenant, seen), [])

    await scoreUnits(storage, tenant, [[name, 0, 1]])
    await deploy(storage, tenant, 'b', ['a version of ours', AT_MS, name])
    await storage.deleteProjectData(tenant, AT_MS)
    assert.deepEqual(await counts(storage, tenant), [])
    assert.deepEqual(await storage.listApplications(tenant, { limit: 1 }), [])
    assert.deepEqual(await storage.listDeployments(tenant, seen), [])
    while (await storage.erasure.eraseDeleted(AT_MS));
    assert.equal(await isStored(), false)
  })
}
