import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { boundedName } from '../../src/domain/bounded-name.ts'
import { RefusedData } from '../../src/domain/errors.ts'
import { totalUse } from '../../src/domain/model-use.ts'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import type { TraceDigest, UsageDigest } from '../../src/domain/trace-digest.ts'
import { addUnit, emptyUnits, listUnits } from '../../src/domain/unit-set.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { AT_MS, createTenant, type StorageHarness, storeWithTenant } from './contract-fixtures.ts'
import { admitNamed } from './span-fixtures.ts'

const traceIdOf = (name: string) => Buffer.from(name.padEnd(16, '.')).toString('hex')

/** A batch's statement about a trace with these spans. */
function trace(name: string, ordinals: readonly number[], rest: Partial<TraceDigest> = {}): TraceDigest {
  const units = emptyUnits(8)
  for (const ordinal of ordinals) addUnit(units, ordinal)
  return {
    traceId: traceIdOf(name),
    units,
    spanCount: ordinals.length,
    errorCount: 0,
    firstMs: AT_MS,
    lastMs: AT_MS + 100,
    modelCalls: 0,
    promptTokens: 0,
    completionTokens: 0,
    models: new Map(),
    isComplete: false,
    ...rest,
  }
}

/** Stores one batch and what it says. */
async function digest(
  storage: Storage,
  tenant: EnvironmentTenant,
  name: string,
  traces: readonly TraceDigest[],
  usage: readonly UsageDigest[] = [],
) {
  const batchId = await admitNamed(storage, tenant, name)
  const { after, batches } = await storage.digest.readUndigested(10)
  assert.deepEqual(
    batches.map((batch) => batch.batchId),
    [batchId],
  )
  assert.ok(await storage.digest.recordDigests(after, [{ batchId, traces, usage }], 0))
  return batchId
}

/** The promises of every store about traces, sessions and use. */
export function describeTraces(harness: StorageHarness): void {
  test('hands out batches in their order until they are summed up, and counts none of them twice', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const first = await admitNamed(storage, tenant, 'a')
    const second = await admitNamed(storage, tenant, 'b')
    const { after, batches } = await storage.digest.readUndigested(10)
    assert.deepEqual(
      batches.map(({ batchId, repeated }) => [batchId, repeated]),
      [
        [first, []],
        [second, []],
      ],
    )
    const digests = [{ batchId: first, traces: [trace('t', [0])], usage: [] }]
    assert.equal(await storage.digest.recordDigests(after, digests, 0), true)
    assert.equal(await storage.digest.recordDigests(after, digests, 0), false, 'somebody has moved on')
    assert.equal((await storage.getTrace(tenant, traceIdOf('t')))?.spanCount, 1)
    assert.deepEqual(
      (await storage.digest.readUndigested(10)).batches.map(({ batchId }) => batchId),
      [second],
    )
  })

  test('counts every trace of a large batch once, also when recording it was cut off', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const batchId = await admitNamed(storage, tenant, 'large')
    const { after } = await storage.digest.readUndigested(10)
    const traces = Array.from({ length: 450 }, (_, at) => trace(`t${at}`, [0]))
    const odd = trace('odd', [1], { spanCount: Number.NaN })
    const cutOff = storage.digest.recordDigests(after, [{ batchId, traces: [...traces, odd], usage: [] }], 0)
    await assert.rejects(cutOff, RefusedData)
    assert.equal(await storage.digest.isDigested(tenant, batchId), false)
    assert.equal(await storage.digest.recordDigests(after, [{ batchId, traces, usage: [] }], 0), true)
    assert.equal(await storage.digest.isDigested(tenant, batchId), true)
    for (const { traceId } of traces) assert.equal((await storage.getTrace(tenant, traceId))?.spanCount, 1)
  })

  test('hands out no more bytes than are asked for, but one batch at least', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    for (const name of ['a', 'b', 'c']) await admitNamed(storage, tenant, name)
    const count = async (limit: number, bytesMax?: number) =>
      (await storage.digest.readUndigested(limit, bytesMax)).batches.length
    // Each of these batches says that it has five bytes.
    assert.deepEqual(await Promise.all([count(10, 10), count(10, 1), count(10), count(2)]), [2, 1, 3, 2])
  })

  test('tells which spans of a batch had come before', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await admitNamed(storage, tenant, 'a')
    await admitNamed(storage, tenant, 'b', 'a', 'c')
    const { batches } = await storage.digest.readUndigested(10)
    assert.deepEqual(
      batches.map(({ repeated }) => repeated),
      [[], [1]],
    )
  })

  test('joins what several batches say about a trace', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const first = await digest(storage, tenant, 'a', [
      trace('t', [0, 1], {
        service: 'worker',
        modelCalls: 1,
        promptTokens: 10,
        completionTokens: 2,
        model: 'm',
      }),
    ])
    const second = await digest(storage, tenant, 'b', [
      trace('t', [3], {
        ...{ rootName: 'ask', service: 'shop', sessionId: 's', errorCount: 1, isComplete: true },
        ...{ firstMs: AT_MS - 50, lastMs: AT_MS + 20 },
      }),
    ])
    const { envProjectId } = tenant
    assert.deepEqual(await storage.getTrace(tenant, traceIdOf('t')), {
      ...{
        traceId: traceIdOf('t'),
        envProjectId,
        firstMs: AT_MS - 50,
        lastMs: AT_MS + 100,
        arrivedAtMs: AT_MS,
      },
      ...{ spanCount: 3, errorCount: 1, rootName: 'ask', service: 'shop', model: 'm', sessionId: 's' },
      ...{ modelCalls: 1, promptTokens: 10, completionTokens: 2, isComplete: true, models: new Map() },
    })
    const places = await storage.listTracePlaces(tenant, traceIdOf('t'), 10)
    assert.deepEqual(
      places.map(({ batchId, units }) => [batchId, listUnits(units)]),
      [
        [first, [0, 1]],
        [second, [3]],
      ],
    )
    assert.equal((await storage.listTracePlaces(tenant, traceIdOf('t'), 1)).length, 1)
  })

  test('lists traces from the newest on, page by page, and only those that are asked for', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await digest(storage, tenant, 'a', [
      trace('one', [0], { service: 'shop', model: 'm', lastMs: AT_MS + 1_000 }),
      trace('two', [1], { firstMs: AT_MS + 5, service: 'shop', errorCount: 1, sessionId: 's' }),
      trace('three', [2], { firstMs: AT_MS + 5, service: 'other', model: 'n' }),
      trace('four', [3], { firstMs: AT_MS + 9 }),
    ])
    const names = async (filter: Parameters<Storage['listTraces']>[1], limit = 10) =>
      (await storage.listTraces(tenant, filter, { limit })).traces.map(({ traceId }) =>
        Buffer.from(traceId, 'hex').toString().replaceAll('.', ''),
      )
    assert.deepEqual(await names({}), ['four', 'two', 'three', 'one'])
    assert.deepEqual(await names({ fromMs: AT_MS + 5, toMs: AT_MS + 9 }), ['two', 'three'])
    assert.deepEqual(await names({ service: 'shop' }), ['two', 'one'])
    assert.deepEqual(await names({ model: 'm' }), ['one'])
    assert.deepEqual(await names({ sessionId: 's' }), ['two'])
    assert.deepEqual(await names({ hasError: true }), ['two'])
    assert.deepEqual(await names({ hasError: false, service: 'shop' }), ['one'])
    assert.deepEqual(await names({ minDurationMs: 500 }), ['one'])
    assert.deepEqual(await names({ maxDurationMs: 95 }), ['four', 'two', 'three'])
    assert.deepEqual(await names({ envProjectIds: [] }), [])
    assert.deepEqual(await names({ envProjectIds: [tenant.envProjectId] }, 1), ['four'])
    const { next } = await storage.listTraces(tenant, {}, { limit: 2 })
    assert.deepEqual(next, { firstMs: AT_MS + 5, traceId: traceIdOf('two') })
    const rest = await storage.listTraces(tenant, {}, { after: next, limit: 2 })
    assert.deepEqual(
      [rest.traces.map(({ traceId }) => traceId), rest.next],
      [[traceIdOf('three'), traceIdOf('one')], undefined],
    )
    const oldest = await storage.listTraces(
      tenant,
      {},
      { order: 'oldest', after: { firstMs: AT_MS, traceId: traceIdOf('one') }, limit: 2 },
    )
    assert.deepEqual(
      oldest.traces.map(({ traceId }) => traceId),
      [traceIdOf('three'), traceIdOf('two')],
    )
  })

  test('finds traces by any model that they called, and tells the use of each', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const use = { calls: 1, errors: 0, countedCalls: 1, promptTokens: 10, completionTokens: 2 }
    await digest(storage, tenant, 'a', [trace('t', [0], { model: 'm', models: new Map([['m', use]]) })])
    await digest(storage, tenant, 'b', [
      trace('t', [1], {
        model: 'n',
        models: new Map([
          ['m', { ...use, errors: 1, countedCalls: 0 }],
          ['n', use],
        ]),
      }),
    ])
    const { traces } = await storage.listTraces(tenant, { model: 'm' }, { limit: 10 })
    assert.deepEqual(
      traces.map(({ models }) => models),
      [
        new Map([
          ['m', { calls: 2, errors: 1, countedCalls: 1, promptTokens: 20, completionTokens: 4 }],
          ['n', use],
        ]),
      ],
    )
    assert.deepEqual((await storage.listTraces(tenant, { model: 'o' }, { limit: 10 })).traces, [])
  })

  test('adds traces up to sessions, the one with the newest trace first', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const counts = {
      ...{ modelCalls: 1, promptTokens: 10, completionTokens: 3 },
      models: new Map([
        ['m', { calls: 1, errors: 0, countedCalls: 1, promptTokens: 10, completionTokens: 3 }],
      ]),
    }
    await digest(storage, tenant, 'a', [
      trace('one', [0], { sessionId: 'x', ...counts }),
      trace('two', [1, 2], {
        sessionId: 'x',
        firstMs: AT_MS + 5,
        lastMs: AT_MS + 700,
        errorCount: 1,
        ...counts,
      }),
      trace('three', [3], { sessionId: 'y' }),
      trace('four', [4]),
    ])
    const sessions = await storage.listSessions(tenant, {}, { limit: 10 })
    assert.deepEqual(sessions[0], {
      ...{ sessionId: 'x', firstMs: AT_MS, lastMs: AT_MS + 700, traceCount: 2, spanCount: 3, errorCount: 1 },
      ...{ modelCalls: 2, promptTokens: 20, completionTokens: 6 },
      models: new Map([
        ['m', { calls: 2, errors: 0, countedCalls: 2, promptTokens: 20, completionTokens: 6 }],
      ]),
    })
    assert.deepEqual(
      (await storage.listSessions(tenant, { sessionId: 'y' }, { limit: 10 })).map(
        ({ traceCount }) => traceCount,
      ),
      [1],
    )
    const query = { fromMs: AT_MS - 1_000, toMs: AT_MS + 1_000, bucketMs: 60_000 }
    const [use, ...others] = await storage.readSessionUsage(tenant, query, 10)
    assert.deepEqual(
      [use?.sessionId, use?.startMs, use?.models.get('m')?.calls, others],
      ['x', Math.floor(AT_MS / 60_000) * 60_000, 2, []],
    )
    assert.deepEqual(await storage.readSessionUsage(tenant, { ...query, model: 'n' }, 10), [])
    assert.deepEqual(
      sessions.map(({ sessionId }) => sessionId),
      ['x', 'y'],
    )
    const [first] = sessions
    const next = await storage.listSessions(tenant, {}, { ...(first ? { after: first } : {}), limit: 10 })
    assert.deepEqual(
      next.map(({ sessionId }) => sessionId),
      ['y'],
    )
  })

  test('adds up the use of models by time, model, service and environment', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const batchId = await admitNamed(storage, tenant, 'a')
    const minute = Math.floor(AT_MS / 60_000)
    const row = {
      minute,
      service: 'shop',
      model: 'm',
      calls: 2,
      errors: 1,
      countedCalls: 1,
      promptTokens: 10,
      completionTokens: 4,
    }
    const usage = [
      { ...row, durationsMs: [100, 300] },
      { ...row, minute: minute + 1, calls: 1, durationsMs: [200] },
      { ...row, service: 'other', model: 'n', durationsMs: [7, 7] },
    ]
    const { after } = await storage.digest.readUndigested(10)
    await storage.digest.recordDigests(after, [{ batchId, traces: [], usage }], 0)
    const query = { fromMs: AT_MS - 600_000, toMs: AT_MS + 600_000, bucketMs: 3_600_000, groupBy: [] }
    const [together] = await storage.readUsage(tenant, query)
    assert.deepEqual([together?.model, [...(together?.models.keys() ?? [])]], [undefined, ['m', 'n']])
    assert.ok(Math.abs((together?.durationP50Ms ?? 0) - 100) <= 1)
    const all = await storage.readUsage(tenant, { ...query, groupBy: ['model'] })
    assert.deepEqual(
      all.map(({ model, models }) => [model, models.get(model ?? '')]),
      [
        ['m', { calls: 3, errors: 2, countedCalls: 2, promptTokens: 20, completionTokens: 8 }],
        ['n', { calls: 2, errors: 1, countedCalls: 1, promptTokens: 10, completionTokens: 4 }],
      ],
    )
    assert.ok(Math.abs((all[0]?.durationP50Ms ?? 0) - 200) <= 2)
    const byMinute = await storage.readUsage(tenant, {
      ...query,
      bucketMs: 60_000,
      groupBy: ['service', 'environment'],
    })
    assert.deepEqual(
      byMinute.map(({ startMs, service, envProjectId, models }) => [
        startMs - minute * 60_000,
        service,
        envProjectId,
        totalUse(models).calls,
      ]),
      [
        [0, 'shop', tenant.envProjectId, 2],
        [0, 'other', tenant.envProjectId, 2],
        [60_000, 'shop', tenant.envProjectId, 1],
      ],
    )
    assert.deepEqual(await storage.readUsage(tenant, { ...query, toMs: AT_MS - 300_000 }), [])
  })

  test('holds names of the greatest length that spans may bring', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const letters = () => boundedName(randomBytes(2_000).toString('base64'))
    const controls = () => Array.from(randomBytes(512), (byte) => String.fromCharCode(byte % 2)).join('')
    for (const [name, longest] of Object.entries({ letters, controls })) {
      const [service, model, sessionId, rootName] = [longest(), longest(), longest(), longest()]
      assert.equal(Buffer.byteLength(service), 512)
      const use = { calls: 1, errors: 0, countedCalls: 1, promptTokens: 10, completionTokens: 2 }
      const usage = [{ ...use, minute: 1, service, model, durationsMs: [5] }]
      const said = { service, model, sessionId, rootName, models: new Map([[model, use]]) }
      await digest(storage, tenant, name, [trace(name, [0], said)], usage)
      const { traces } = await storage.listTraces(tenant, { service, model, sessionId }, { limit: 10 })
      assert.deepEqual(
        traces.map((found) => [found.traceId, found.rootName, found.sessionId]),
        [[traceIdOf(name), rootName, sessionId]],
      )
      assert.equal((await storage.listSessions(tenant, { sessionId }, { limit: 10 })).length, 1)
      const query = { fromMs: 0, toMs: AT_MS, bucketMs: 3_600_000, groupBy: [], service, model }
      assert.equal((await storage.readUsage(tenant, query)).length, 1)
    }
  })

  test('shows nobody the traces of others', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const other = await createTenant(storage, 'other')
    const use = { calls: 1, errors: 0, countedCalls: 1, promptTokens: 10, completionTokens: 2 }
    const usage = [{ ...use, minute: 1, service: 'shop', model: 'm', durationsMs: [5] }]
    const models = new Map([['m', use]])
    await digest(storage, tenant, 'a', [trace('t', [0], { sessionId: 's', models })], usage)
    assert.equal(await storage.getTrace(other, traceIdOf('t')), undefined)
    assert.deepEqual(await storage.listTraces(other, {}, { limit: 10 }), { traces: [] })
    assert.deepEqual(await storage.listTracePlaces(other, traceIdOf('t'), 10), [])
    assert.deepEqual(await storage.listSessions(other, {}, { limit: 10 }), [])
    const query = { fromMs: 0, toMs: AT_MS * 2, bucketMs: 86_400_000 }
    const countUsage = async (who: EnvironmentTenant) => [
      (await storage.readUsage(who, { ...query, groupBy: [] })).length,
      (await storage.readSessionUsage(who, query, 10)).length,
    ]
    assert.deepEqual(
      [await countUsage(other), await countUsage(tenant)],
      [
        [0, 0],
        [1, 1],
      ],
    )
  })
}
