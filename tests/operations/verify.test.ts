import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { digestSpans } from '../../src/domain/digest-spans.ts'
import { unpackSpansSync } from '../../src/lib/otlp/stored-spans.ts'
import { BatchPacker } from '../../src/pipeline/ingest/batch-packer.ts'
import { NightlyVerification } from '../../src/pipeline/verify/nightly-verification.ts'
import { reportLines, type VerifyReport } from '../../src/pipeline/verify/verify-report.ts'
import { verifyStore } from '../../src/pipeline/verify/verify-store.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { AT_MS, charCount, createTenant, rule } from '../contract/contract-fixtures.ts'
import { eraseAll, spanWith, store, sumUp, traceIdOf } from '../contract/deletion-fixtures.ts'
import { claim, outcomesOf } from '../contract/deletion-store.ts'
import { bindSetup } from '../contract/result-fixtures.ts'
import { type RawStore, rawPostgres, rawSqlite } from '../support/raw-stores.ts'
import { recordingLogger } from '../support/recording-logger.ts'
import { eventually } from '../support/spans.ts'

const NAMES = [
  ['one', 'one 1'],
  ['two', 'two 1'],
  ['one', 'one 2'],
] as const

const opened: Storage[] = []
// Here and not where they are opened: within a test they would be closed with that test.
after(() => Promise.all(opened.map((storage) => storage.close())))

/** A store with three batches of two traces, all evaluated, and one more trace that was deleted. */
async function soundStore(make: () => Promise<RawStore>) {
  const raw = await make()
  const storage = await raw.open()
  opened.push(storage)
  const tenant = await createTenant(storage, 'one')
  await bindSetup(storage, tenant, 'a', { evaluators: [charCount], selector: [rule] })
  const spanOf = (trace: string, span: string) => spanWith(trace, span, randomBytes(16))
  await store(
    storage,
    tenant,
    NAMES.map(([trace, span]) => spanOf(trace, span)),
  )
  await store(storage, tenant, [spanOf('one', 'one 3'), spanOf('gone', 'gone 1'), spanOf('one', 'one 1')])
  await store(storage, tenant, [spanOf('three', 'three 1')])
  await sumUp(storage)
  for (const work of await claim(storage)) {
    const names =
      work.batchId === 1
        ? NAMES
        : ([
            ['one', 'one 3'],
            ['gone', 'gone 1'],
          ] as const)
    const outcomes = outcomesOf(work, names, 'said').map((outcome, at) => ({
      ...outcome,
      ...(work.batchId === 3 ? { traceId: traceIdOf('three') } : {}),
      output: { char_count: at + 1, label: 'x' },
      application: 'shop',
    }))
    // Counts that no evaluation stands behind are no fault.
    await storage.work.recordWork([{ work, outcomes, sampledOut: 1, skipped: 1 }])
  }
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const image = {
      ...{ traceId: traceIdOf('one'), spanId: 'ab'.repeat(8), name },
      type: 'image/png' as const,
    }
    await storage.addImage(
      tenant,
      { ...image, bytes: Buffer.from('img!') },
      { perSpan: 9, perTrace: 9 },
      AT_MS,
    )
  }
  await storage.deleteTrace(tenant, traceIdOf('gone'), AT_MS)
  await eraseAll(storage)
  await foldAll(storage)
  return { raw, storage, tenant }
}

async function foldAll(storage: Storage): Promise<void> {
  while (await storage.rollups.foldRollups(AT_MS + 86_400_000));
}

function verify(storage: Storage, isRepairing = false): Promise<VerifyReport> {
  const packer = new BatchPacker()
  return verifyStore({
    storage,
    read: async (batch) => packer.inspect(batch.batchId, batch, batch.repeated),
    nowMs: () => AT_MS + 60_000,
    retentionHoursMax: 720,
    isRepairing,
  })
}

const faultsOf = (report: VerifyReport) =>
  report.checks.flatMap(({ faults }) => faults.map(({ words }) => words))

/** Damage that was done on purpose, and what it is called; `repairs` is what is found when it was repaired. */
const DERIVED: readonly (readonly [what: string, sql: string, words: RegExp])[] = [
  ['an index row', 'DELETE FROM spans WHERE batch_id = 1 AND ordinal = 2', /missing from the index/],
  [
    'all places of a batch',
    'DELETE FROM trace_places WHERE batch_id = 3; DELETE FROM traces WHERE span_count = 1 AND trace_id NOT IN (SELECT trace_id FROM trace_places)',
    /batches are in no trace/,
  ],
  [
    'one place of a batch',
    'DELETE FROM trace_places WHERE batch_id = 1 AND trace_id = (SELECT min(trace_id) FROM trace_places WHERE batch_id = 1)',
    /do not fit the spans of their batch/,
  ],
  ['a count of a trace', 'UPDATE traces SET span_count = span_count + 1', /wrong number of spans/],
  ['a count of a chart', 'UPDATE status_rollups SET units = units + 1', /minutes of charts/],
  ['a count of an application', 'UPDATE application_rollups SET neutral = neutral + 1', /minutes of charts/],
  ['the counts of an application', 'DELETE FROM application_rollups', /minutes of charts/],
  ['a folded count', 'UPDATE status_folds SET units = units + 1', /folded periods/],
  ['a folded value', "UPDATE value_folds SET sum = sum + 1 WHERE property = 'char_count'", /folded periods/],
  ['a missing hour', 'DELETE FROM status_folds', /folded periods/],
  ['a missing chart', "DELETE FROM value_rollups WHERE property = 'char_count'", /minutes of charts/],
  [
    'a value of a chart',
    "UPDATE value_rollups SET sum = sum + 1 WHERE property = 'char_count'",
    /minutes of charts/,
  ],
  [
    'the stored bytes of a project',
    'UPDATE stored_bytes SET bytes = bytes + 1',
    /wrong number of stored bytes/,
  ],
  ['no stored bytes at all', 'DELETE FROM stored_bytes', /wrong number of stored bytes/],
  ['a missing verdict', 'UPDATE evaluations SET verdict = NULL', /scored evaluations have no verdict/],
  ['a total', 'UPDATE status_totals SET units = 0', /totals are smaller/],
  ['a piece of work', 'DELETE FROM work WHERE batch_id = 3', /decisions have no work/],
  [
    'work without a batch',
    'INSERT INTO work (batch_id, monitor_version, units, unit_count) SELECT 99, monitor_version, units, unit_count FROM work WHERE batch_id = 1',
    /pieces of work belong to no stored batch/,
  ],
  [
    'work without a monitor',
    'INSERT INTO work (batch_id, monitor_version, units, unit_count, state) SELECT batch_id, 77, units, unit_count, 2 FROM work WHERE batch_id = 1',
    /pieces of work belong to no monitor/,
  ],
  [
    'a decision without a batch',
    'INSERT INTO matches (batch_id, setup_version, units) SELECT 99, setup_version, units FROM matches WHERE batch_id = 1',
    /decisions belong to no stored batch/,
  ],
  [
    'a place without a batch',
    'INSERT INTO trace_places (project_number, trace_id, batch_id, units) SELECT project_number, trace_id, 99, units FROM trace_places WHERE batch_id = 3',
    /places of traces belong to no stored batch/,
  ],
  [
    'an index row without a batch',
    'INSERT INTO spans (project_number, second, trace_id, span_id, batch_id, ordinal) SELECT project_number, second + 1, trace_id, span_id, 99, ordinal FROM spans WHERE batch_id = 3',
    /spans in the index belong to no stored batch/,
  ],
]

/** Damage of what is derived from nothing. */
const ORIGINAL: readonly (readonly [
  what: string,
  sql: Readonly<Record<'sqlite' | 'postgres', string>>,
  words: RegExp,
])[] = [
  [
    'a byte of a batch',
    {
      sqlite:
        "UPDATE span_batches SET bytes = CAST(substr(bytes, 1, 20) || x'00' || substr(bytes, 22) AS BLOB) WHERE id = 1",
      postgres:
        'UPDATE span_batches SET bytes = set_byte(bytes, 20, (get_byte(bytes, 20) + 1) % 256) WHERE id = 1',
    },
    /batches are damaged/,
  ],
  [
    'a byte of a batch without a checksum',
    {
      sqlite: "UPDATE span_batches SET checksum = NULL, bytes = x'28b52ffd00' WHERE id = 1",
      postgres: "UPDATE span_batches SET checksum = NULL, bytes = '\\x28b52ffd00' WHERE id = 1",
    },
    /batches cannot be read/,
  ],
  [
    'a decision about spans that there are not',
    {
      sqlite: "UPDATE matches SET units = x'ffffffff' WHERE batch_id = 1",
      postgres: "UPDATE matches SET units = '\\xffffffff' WHERE batch_id = 1",
    },
    /decisions name spans/,
  ],
  [
    'a byte of an image',
    {
      sqlite: "UPDATE span_images SET bytes = x'00010203'",
      postgres: "UPDATE span_images SET bytes = '\\x00010203'",
    },
    /images are not what was stored/,
  ],
  [
    'an evaluation without a monitor',
    {
      sqlite: 'UPDATE evaluations SET monitor_version = 77 WHERE batch_id = 3',
      postgres: 'UPDATE evaluations SET monitor_version = 77 WHERE batch_id = 3',
    },
    /evaluations belong to no monitor/,
  ],
]

for (const [name, make] of [
  ['sqlite', async () => rawSqlite()],
  ['postgres', rawPostgres],
] as const) {
  // Outside of the tests: a store that is made in a test, or in a hook, goes with it.
  const shared = soundStore(make)
  describe(`assay verify, ${name}`, () => {
    test('says that a sound store is sound, and what it has looked at', async () => {
      const { storage } = await soundStore(make)
      const report = await verify(storage)
      assert.deepEqual(faultsOf(report), [])
      const lines = reportLines(report)
      assert.equal(lines.at(-1), 'The store is sound.')
      assert.ok(
        lines.some((line) => line.includes('batches, their index and digests: 3 batches')),
        lines.join('\n'),
      )
      assert.ok(lines.some((line) => line.includes('traces and their places: 3 traces')))
      assert.ok(lines.some((line) => line.includes('evaluations and charts: 5 evaluations')))
    })

    // One store for all of them: each leaves it as sound as it was.
    for (const [what, sql, words] of DERIVED) {
      test(`finds and repairs ${what}`, async () => {
        const { raw, storage, tenant } = await shared
        const traces = async () =>
          Promise.all(['one', 'two', 'three'].map((trace) => storage.getTrace(tenant, traceIdOf(trace))))
        const before = await traces()
        // Repairing the minutes of a chart has made its hours stale.
        await foldAll(storage)
        await raw.run(sql)
        const found = await verify(storage)
        assert.match(faultsOf(found).join('\n'), words)
        assert.equal(found.repaired, 0)
        assert.match(reportLines(found).at(-1) ?? '', /--repair/)
        assert.deepEqual((await verify(storage)).wrong, found.wrong, 'looking changes nothing')
        const repaired = await verify(storage, true)
        assert.ok(repaired.repaired > 0)
        // Places that are taken away show what else is wrong; the digest has to come by for what is summed up again.
        for (let pass = 0; pass < 2; pass++) {
          for (const batch of await storage.digest.readOverdue(AT_MS, 10)) {
            const digest = digestSpans(batch.batchId, unpackSpansSync(batch), new Set(batch.repeated))
            await storage.digest.recordOverdue(digest, 0)
          }
          await verify(storage, true)
        }
        assert.deepEqual(faultsOf(await verify(storage)), [])
        assert.deepEqual(await traces(), before)
      })
    }

    for (const [what, sql, words] of ORIGINAL) {
      test(`finds ${what}, and leaves it as it is`, async () => {
        const { raw, storage } = await soundStore(make)
        await raw.run(sql[name])
        const found = await verify(storage, true)
        assert.match(faultsOf(found).join('\n'), words)
        const again = await verify(storage, true)
        assert.match(faultsOf(again).join('\n'), words)
        assert.match(reportLines(again).at(-1) ?? '', /restore it from a backup/)
      })
    }

    test('looks once a night, on one of several processes, and tells what it found', async () => {
      const { raw, storage } = await soundStore(make)
      await raw.run('UPDATE traces SET span_count = span_count + 1')
      const hour = new Date(AT_MS).getUTCHours()
      const lines: string[] = []
      const found: number[] = []
      let nowMs = AT_MS - 3_600_000
      const packer = new BatchPacker()
      const open = () =>
        new NightlyVerification({
          storage,
          read: async (batch) => packer.inspect(batch.batchId, batch, batch.repeated),
          retentionHoursMax: 720,
          clock: { nowMs: () => nowMs },
          logger: recordingLogger(lines),
          hour,
          onVerified: ({ wrong }) => void found.push(wrong),
        })
      const both = [open(), open()]
      for (const one of both) one.start()
      for (const one of both) one.wake()
      assert.deepEqual(found, [], 'its hour has not come')
      nowMs = AT_MS
      await eventually(async () => {
        for (const one of both) one.wake()
        return found.length > 0
      }, 'a pass has ended')
      nowMs += 60_000
      for (const one of both) one.wake()
      await Promise.all(both.map((one) => one.close()))
      assert.deepEqual(found, [3])
      assert.ok(lines.some((line) => line.includes('has faults')))
    })
  })
}
