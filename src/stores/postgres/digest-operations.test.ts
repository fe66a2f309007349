import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AT_MS, createTenant } from '../../../tests/contract/contract-fixtures.ts'
import { admitNamed } from '../../../tests/contract/span-fixtures.ts'
import { openPair, race } from '../../../tests/support/postgres-pair.ts'
import { openRows } from '../../../tests/support/postgres-rows.ts'
import { recycledDatabase } from '../../../tests/support/postgres-store.ts'
import { untilSomebodyWaits } from '../../../tests/support/postgres-waiting.ts'
import type { EnvironmentTenant } from '../../domain/tenant.ts'
import type { BatchDigest, TraceDigest } from '../../domain/trace-digest.ts'
import { addUnit, emptyUnits } from '../../domain/unit-set.ts'
import type { Storage } from '../../ports/storage.ts'

const TRACE = 'ab'.repeat(16)

function trace(rest: Partial<TraceDigest> = {}): TraceDigest {
  const units = emptyUnits(1)
  addUnit(units, 0)
  return {
    ...{ traceId: TRACE, units, spanCount: 1, errorCount: 0, firstMs: AT_MS, lastMs: AT_MS + 1 },
    ...{ modelCalls: 1, promptTokens: 2, completionTokens: 3, models: new Map(), isComplete: false },
    ...rest,
  }
}

/** Every batch says that it has one span of the same trace, with one call of a model. */
function digestOf(batchId: number, said: Partial<TraceDigest> = {}): BatchDigest {
  const usage = {
    ...{ minute: 1, service: 'shop', model: 'm', calls: 1, errors: 0, countedCalls: 1 },
    ...{ promptTokens: 2, completionTokens: 3, durationsMs: [10] },
  }
  return { batchId, traces: [trace(said)], usage: [usage] }
}

const idsOf = ({ batches }: { readonly batches: readonly { readonly batchId: number }[] }) =>
  batches.map(({ batchId }) => batchId)

async function pairWithTenants(...names: readonly string[]) {
  const url = await recycledDatabase()
  const [one, other] = await openPair(url)
  const scopes = []
  for (const name of names) scopes.push(await createTenant(one, name))
  return { one, other, scopes, db: openRows(url) }
}

/** Sums up until there is nothing left that it is handed. */
async function digestAll(storage: Storage): Promise<void> {
  for (let idle = 0; idle < 3; ) {
    const { after, batches } = await storage.digest.readUndigested(3)
    if (batches.length === 0) idle++
    else
      await storage.digest.recordDigests(
        after,
        batches.map(({ batchId }) => digestOf(batchId)),
        0,
      )
  }
}

test('a project is summed up by one process at a time, the one that has waited longest first', async () => {
  const { one, other, scopes, db } = await pairWithTenants('one', 'two')
  const [first, second] = scopes as [EnvironmentTenant, EnvironmentTenant]
  const batches = [
    await admitNamed(one, second, 'a'),
    await admitNamed(one, first, 'b'),
    await admitNamed(one, second, 'c'),
  ]
  const held = await one.digest.readUndigested(10)
  assert.deepEqual(idsOf(held), [batches[0], batches[2]])
  assert.deepEqual(idsOf(await one.digest.readUndigested(10)), idsOf(held), 'it may read them again')
  assert.deepEqual(idsOf(await other.digest.readUndigested(10)), [batches[1]])
  await db.run('UPDATE digest_progress SET held_until_ms = 0')
  assert.deepEqual(idsOf(await other.digest.readUndigested(10)), idsOf(held), 'nobody holds it any longer')
  assert.deepEqual(idsOf(await one.digest.readUndigested(10)), [batches[1]])
})

test('who has summed up all of a project lets it go, who has not keeps it', async () => {
  const { one, other, scopes } = await pairWithTenants('one')
  const [tenant] = scopes as [EnvironmentTenant]
  const [first, second] = [await admitNamed(one, tenant, 'a'), await admitNamed(one, tenant, 'b')]
  const { after } = await one.digest.readUndigested(10)
  await one.digest.recordDigests(after, [digestOf(first)], 0)
  assert.deepEqual(idsOf(await other.digest.readUndigested(10)), [])
  assert.equal(await other.digest.isDigested(tenant, first), true)
  assert.equal(await other.digest.isDigested(tenant, second), false)
  await one.digest.recordDigests(first, [digestOf(second)], 0)
  const third = await admitNamed(one, tenant, 'c')
  assert.deepEqual(idsOf(await other.digest.readUndigested(10)), [third])
})

test('of those who sum up the same batches at once one is taken', async () => {
  const { one, other, scopes, db } = await pairWithTenants('one')
  const [tenant] = scopes as [EnvironmentTenant]
  const batchId = await admitNamed(one, tenant, 'a')
  const { after } = await one.digest.readUndigested(10)
  const taken = await race([one, other], 6, (storage) =>
    storage.digest.recordDigests(after, [digestOf(batchId)], 0),
  )
  assert.equal(taken.filter(Boolean).length, 1)
  assert.equal((await other.getTrace(tenant, TRACE))?.spanCount, 1)
  assert.deepEqual(await db.all('SELECT calls FROM usage_rollups'), [{ calls: 1 }])
})

test('two processes sum up everything that comes in meanwhile, each batch once', async () => {
  const { one, other, scopes, db } = await pairWithTenants('one', 'two', 'three')
  const each = 12
  const admit = Promise.all(
    scopes.map(async (tenant) => {
      for (let span = 0; span < each; span++) await admitNamed(one, tenant, `span ${span}`)
    }),
  )
  await Promise.all([admit, digestAll(one), digestAll(other)])
  await Promise.all([digestAll(one), digestAll(other)])
  for (const tenant of scopes) {
    const { spanCount, promptTokens } = (await one.getTrace(tenant, TRACE)) ?? {}
    assert.deepEqual([spanCount, promptTokens], [each, 2 * each])
  }
  assert.deepEqual(
    await db.all('SELECT calls, prompt_tokens FROM usage_rollups'),
    new Array(3).fill({ calls: each, prompt_tokens: 2 * each }),
  )
  assert.deepEqual(
    await db.all('SELECT 1 FROM digest_progress WHERE through < newest OR holder IS NOT NULL'),
    [],
  )
})

test('batches that are gone are passed over', async () => {
  const { one, scopes, db } = await pairWithTenants('one')
  const [tenant] = scopes as [EnvironmentTenant]
  const [first, second] = [await admitNamed(one, tenant, 'a'), await admitNamed(one, tenant, 'b')]
  const { after } = await one.digest.readUndigested(10)
  await db.run('DELETE FROM span_batches WHERE id = $1', first)
  assert.equal(await one.digest.recordDigests(after, [digestOf(first), digestOf(second)], 0), true)
  assert.equal((await one.getTrace(tenant, TRACE))?.spanCount, 1)
  await admitNamed(one, tenant, 'c')
  await db.run('DELETE FROM span_batches')
  assert.deepEqual(idsOf(await one.digest.readUndigested(10)), [])
  assert.deepEqual(
    await db.all('SELECT 1 FROM digest_progress WHERE through < newest OR holder IS NOT NULL'),
    [],
  )
})

test('nothing is summed up of a project whose data is deleted meanwhile', async () => {
  const { one, other, scopes, db } = await pairWithTenants('one')
  const [tenant] = scopes as [EnvironmentTenant]
  const batchId = await admitNamed(one, tenant, 'a')
  const { after } = await one.digest.readUndigested(10)
  await other.deleteProjectData(tenant, AT_MS)
  assert.equal(await one.digest.recordDigests(after, [digestOf(batchId)], 0), true)
  assert.deepEqual(await db.all('SELECT 1 FROM traces'), [])
  assert.deepEqual(idsOf(await one.digest.readUndigested(10)), [])
})

test('a session that was deleted before its batches are summed up takes its whole trace with it', async () => {
  const { one, other, scopes, db } = await pairWithTenants('one')
  const [tenant] = scopes as [EnvironmentTenant]
  const [first, second] = [await admitNamed(one, tenant, 'a'), await admitNamed(one, tenant, 'b')]
  const { after } = await one.digest.readUndigested(10)
  await other.deleteSession(tenant, 'talk', AT_MS)
  const kept = digestOf(second).traces[0] as TraceDigest
  await one.digest.recordDigests(
    after,
    [
      digestOf(first),
      {
        ...digestOf(second, { sessionId: 'talk' }),
        traces: [trace({ sessionId: 'talk' }), { ...kept, traceId: 'cd'.repeat(16) }],
      },
    ],
    0,
  )
  assert.equal(await one.getTrace(tenant, TRACE), undefined)
  assert.equal((await one.getTrace(tenant, 'cd'.repeat(16)))?.spanCount, 1)
  const erased = await db.all<{ batch_id: number }>('SELECT batch_id FROM erasures ORDER BY batch_id')
  assert.deepEqual(
    erased.map((row) => row.batch_id),
    [first, second],
  )
})

test('a project that somebody is writing to is waited for, not passed over', async () => {
  const { one, scopes, db } = await pairWithTenants('one')
  const [tenant] = scopes as [EnvironmentTenant]
  const batchId = await admitNamed(one, tenant, 'a')
  let reading: ReturnType<Storage['digest']['readUndigested']> | undefined
  await db.transaction(async (tx) => {
    await tx.run('SELECT 1 FROM digest_progress FOR UPDATE')
    reading = one.digest.readUndigested(10)
    await untilSomebodyWaits(db)
  })
  assert.deepEqual(idsOf(await (reading as NonNullable<typeof reading>)), [batchId])
})

test('a trace that was added before is not added again, as in a store that was moved while a batch was half done', async () => {
  const { one, scopes, db } = await pairWithTenants('one')
  const [tenant] = scopes as [EnvironmentTenant]
  const batchId = await admitNamed(one, tenant, 'a')
  const { after } = await one.digest.readUndigested(10)
  const others = ['01', '02'].map((digits) => trace({ traceId: digits.repeat(16) }))
  const { usage } = digestOf(batchId)
  await one.digest.recordDigests(after, [{ batchId, traces: others.slice(0, 1), usage: [] }], 0)
  await db.run('UPDATE digest_progress SET through = $1', after)
  assert.equal(await one.digest.recordDigests(after, [{ batchId, traces: others, usage }], 0), true)
  for (const { traceId } of others) assert.equal((await one.getTrace(tenant, traceId))?.spanCount, 1)
})
