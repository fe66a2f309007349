import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  AT_MS,
  charCount,
  create,
  createTenant,
  nextId,
  rule,
  wordCount,
} from '../../../tests/contract/contract-fixtures.ts'
import { openPair, race } from '../../../tests/support/postgres-pair.ts'
import { recycledDatabase } from '../../../tests/support/postgres-store.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import type { EnvironmentTenant } from '../../domain/tenant.ts'
import type { Storage } from '../../ports/storage.ts'
import type { Sql } from '../shared/sql.ts'
import { createOrganization } from '../shared/tenant-operations.ts'
import { PostgresDatabase } from './postgres-database.ts'
import { deleteSetup, updateSetup, upsertSetups } from './setup-changes.ts'

const tenant = { orgId: 'org', projectId: 'project', envProjectId: 'env' }

test('every earlier catalogue revision can still be told apart', async () => {
  const db = await openProject()
  await db.transaction((tx) => upsertSetups(tx, tenant, [draft('a'), draft('b')], 1))
  await db.transaction((tx) => updateSetup(tx, tenant, 'a', { evaluators: [wordCount] }, 2))
  await db.transaction((tx) => deleteSetup(tx, tenant, 'b', 3))
  assert.deepEqual(await setupsAt(db, 0), [])
  assert.deepEqual(await setupsAt(db, 1), ['a v1', 'b v1'])
  assert.deepEqual(await setupsAt(db, 2), ['a v2', 'b v1'])
  assert.deepEqual(await setupsAt(db, 3), ['a v2'])
})

test('writing the same again makes no new version and no new revision', async () => {
  const db = await openProject()
  for (const atMs of [1, 2]) await db.transaction((tx) => upsertSetups(tx, tenant, [draft('a')], atMs))
  await db.transaction((tx) => updateSetup(tx, tenant, 'a', {}, 3))
  await db.transaction((tx) => updateSetup(tx, tenant, 'a', { entityType: 'agent' }, 4))
  assert.deepEqual(await db.get('SELECT catalogue_revision FROM projects'), { catalogue_revision: 1 })
  assert.deepEqual(await db.get('SELECT count(*) AS versions FROM setup_versions'), { versions: 1 })
})

test('a hundred setups take no more statements than a few, new or replaced', async () => {
  const db = await openProject()
  const drafts = Array.from({ length: 100 }, (_, index) => draft(`s${index}`))
  const statements = async (value: string) => {
    const seen: string[] = []
    const listening = (tx: Sql): Sql => {
      const heard = <T extends [string, ...unknown[]]>(args: T) => {
        seen.push(args[0])
        return args
      }
      return {
        dialect: tx.dialect,
        lock: tx.lock,
        all: (...args) => tx.all(...heard(args)),
        get: (...args) => tx.get(...heard(args)),
        run: (...args) => tx.run(...heard(args)),
      }
    }
    const changed = drafts.map((item) => ({
      ...item,
      change: { ...item.change, selector: [{ ...rule, value }] },
    }))
    await db.transaction((tx) => upsertSetups(listening(tx), tenant, changed, 1))
    return seen.length
  }
  assert.ok((await statements('one')) <= 8)
  assert.ok((await statements('two')) <= 16)
})

test('of creates of one external id in two processes exactly one wins', async () => {
  const pair = await openPair()
  const tenant = await createTenant(pair[0], 'one')
  const results = await race(pair, 20, (storage) =>
    storage.createSetup(tenant, { ...draft('a'), id: nextId() }, AT_MS),
  )
  assert.equal(results.filter((result) => result !== 'exists').length, 1)
})

test('upserts of the same setups in two processes, in whatever order, are applied one after the other', async () => {
  const pair = await openPair()
  const tenant = await createTenant(pair[0], 'one')
  const names = ['a', 'b', 'c', 'd', 'e']
  await race(pair, 12, (storage, index) =>
    storage.upsertSetups(
      tenant,
      (index % 3 === 0 ? names : names.toReversed()).map((externalId) => ({
        id: nextId(),
        externalId,
        change: { evaluators: [charCount], selector: [{ ...rule, value: `v${index}` }] },
      })),
      AT_MS,
    ),
  )
  const setups = await pair[1].listSetups(tenant, {})
  assert.deepEqual(setups.map(({ externalId }) => externalId).toSorted(), names)
  assert.deepEqual(new Set(setups.map(({ version }) => version)), new Set([12]))
  assert.equal(new Set(setups.map(({ selector }) => JSON.stringify(selector))).size, 1)
})

test('updates in two processes lose nothing, and each makes a revision of its own', async () => {
  const pair = await openPair()
  const tenant = await createTenant(pair[0], 'one')
  for (const externalId of ['a', 'b']) await create(pair[0], tenant, externalId, { evaluators: [charCount] })
  await race(pair, 20, (storage, index) =>
    storage.updateSetup(
      tenant,
      index % 4 < 2 ? 'a' : 'b',
      { selector: [{ ...rule, value: `v${index}` }] },
      AT_MS,
    ),
  )
  assert.deepEqual(await versions(pair[1], tenant), [11, 11])
  assert.equal((await pair[1].readCatalogue(tenant)).revision, 22)
})

test('of deletes of one setup in two processes one finds it', async () => {
  const pair = await openPair()
  const tenant = await createTenant(pair[0], 'one')
  await create(pair[0], tenant, 'a', { evaluators: [charCount] })
  const results = await race(pair, 8, (storage) => storage.deleteSetup(tenant, 'a', AT_MS))
  assert.equal(results.filter(Boolean).length, 1)
})

async function versions(storage: Storage, tenant: EnvironmentTenant): Promise<number[]> {
  return (await storage.listSetups(tenant, {})).map(({ version }) => version)
}

async function openProject(): Promise<PostgresDatabase> {
  const db = new PostgresDatabase({
    url: await recycledDatabase(),
    connectionsMax: 1,
    statementMsMax: 300_000,
    connectMsMax: 300_000,
    logger: recordingLogger([]),
  })
  after(() => db.close())
  await db.transaction((tx) =>
    createOrganization(tx, {
      organization: { id: 'org', name: 'Org', isOperator: true, retentionHours: 720, createdAtMs: 0 },
      project: {
        id: 'project',
        name: 'P',
        slug: 'p',
        environments: [{ envProjectId: 'env', slug: 'prd' }],
        createdAtMs: 0,
      },
      keys: [],
    }),
  )
  return db
}

function draft(externalId: string) {
  return { id: `id of ${externalId}`, externalId, change: { evaluators: [charCount] } }
}

/** The setups that a given catalogue revision held, with their versions. */
async function setupsAt(db: Sql, revision: number): Promise<string[]> {
  const rows = await db.all<{ name: string }>(
    `SELECT s.external_id || ' v' || v.version AS name FROM setup_versions v JOIN setups s ON s.id = v.setup_id
     WHERE v.revision_from <= $1 AND (v.revision_to IS NULL OR v.revision_to > $1) ORDER BY name`,
    revision,
  )
  return rows.map(({ name }) => name)
}
