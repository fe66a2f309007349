import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { openStorage } from '../../src/app/open-storage.ts'
import { readConfig } from '../../src/config.ts'
import { BatchPacker } from '../../src/pipeline/ingest/batch-packer.ts'
import { verifyStore } from '../../src/pipeline/verify/verify-store.ts'
import {
  bringBackPostgres,
  bringBackSqlite,
  keptFile,
  type SeenAnswers,
  seenAnswers,
} from '../support/kept-store.ts'
import { bareDatabase } from '../support/postgres-store.ts'
import { recordingLogger } from '../support/recording-logger.ts'
import { startService, type TestService } from '../support/service.ts'
import { createSetupOf, untilScored } from '../support/service-calls.ts'
import { chatSpan, eventually, idsOf, sendSpans, untilStatus } from '../support/spans.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const MIGRATIONS = path.join(import.meta.dirname, '../../src/stores/postgres/migrations')
/** Stores of earlier versions, by the name they were kept under. */
const KEPT: readonly KeptStore[] = [
  { name: '0.1.0', isBeforeSkipping: true },
  { name: '0.1.0-verdicts', isBeforeSkipping: false },
]

interface KeptStore {
  readonly name: string
  /** Its monitors were bound when every span that matched was scored. */
  readonly isBeforeSkipping: boolean
}

for (const kept of KEPT) {
  const { name } = kept
  test(`a SQLite store of version ${name} shows what it showed and goes on`, async () => {
    const dataDir = temporaryDirectory()
    await bringBackSqlite(name, dataDir)
    await openAndUse(kept, answersOf(`${name}.sqlite`), { ASSAY_DATA_DIR: dataDir })
  })

  test(`a PostgreSQL store of version ${name} shows what it showed and goes on`, async () => {
    const url = await bareDatabase()
    await bringBackPostgres(name, url, MIGRATIONS)
    await openAndUse(kept, answersOf(`${name}.postgres`), { ASSAY_DATABASE_URL: url })
  })
}

async function openAndUse(
  kept: KeptStore,
  { atMs, answers }: SeenAnswers,
  env: Record<string, string>,
): Promise<void> {
  const openedAt = performance.now()
  // At the time of the store: a month later retention would rightly drop everything in it.
  const clock = { nowMs: () => Math.round(atMs + performance.now() - openedAt) }
  const service = await startService({ ...env, ASSAY_SETUP_REST_MS: '0' }, { clock })
  const seen = await seenAnswers(service)
  for (const [address, answer] of Object.entries(answers)) assertHolds(seen[address], answer, address)
  await useAgain(service)
  if (kept.isBeforeSkipping) await keepScoringEverything(service)
  const storage = await openStorage(readConfig(env).config, recordingLogger([]))
  after(() => storage.close())
  const packer = new BatchPacker()
  const report = await eventually(async () => {
    const found = await verifyStore({
      storage,
      read: async (batch) => packer.inspect(batch.batchId, batch, batch.repeated),
      nowMs: clock.nowMs,
      retentionHoursMax: readConfig(env).config.retentionHours,
      isRepairing: false,
    })
    return found.wrong === 0 && found
  }, 'the store is sound')
  assert.ok(report.checks.every(({ faults }) => faults.length === 0))
}

/** Monitors that were bound before spans were told apart score what they scored; new ones skip what is no call. */
async function keepScoringEverything(service: TestService): Promise<void> {
  const workflow = {
    'traceloop.span.kind': 'workflow',
    'traceloop.entity.input': '"q"',
    'traceloop.entity.output': '"a"',
  }
  for (const name of ['workflow', 'workflow after applying the setup again']) {
    await sendSpans(service, [{ ...chatSpan(name), attributes: workflow }])
    await untilScored(service, name, ['lengths', 'lengths', 'traces'])
    await service.call('PUT', '/v2/auto-monitor-setups/lengths', { body: {} })
    await untilStatus(service, 'lengths', 'completed')
  }
  const { trace_id: trace, span_id: span } = idsOf('workflow')
  const { json } = await service.call('GET', `/v2/spans/${trace}/${span}/explain?external_id=newer`)
  assert.equal(json.setups[0].evaluators[0].outcome, 'skipped')
}

/** Results of a time before verdicts get one without being evaluated again. */
async function judgeHistory(service: TestService): Promise<void> {
  const old = await eventually(async () => {
    const { json } = await service.call('GET', '/v2/evaluations?status=scored&limit=1000')
    const all = json.evaluations as { verdict?: string }[]
    return all.length > 0 && all.every(({ verdict }) => verdict !== undefined) && all
  }, 'verdicts of old results')
  assert.ok(old.some(({ verdict }) => verdict === 'neutral'))
}

/** New spans are scored, old ones can be scored again and deleted. */
async function useAgain(service: TestService): Promise<void> {
  await judgeHistory(service)
  await createSetupOf(service, 'newer', 'char-count')
  await sendSpans(service, [chatSpan('after the upgrade')])
  await untilScored(service, 'after the upgrade', ['lengths', 'lengths', 'newer', 'traces'])
  const { trace_id: old } = idsOf('span 2')
  assert.equal((await service.call('GET', `/v2/traces/${old}`)).status, 200)
  assert.equal((await service.call('DELETE', `/v2/traces/${old}`)).status, 202)
  await eventually(
    async () => (await service.call('GET', `/v2/traces/${old}`)).status === 404,
    'the deletion of an old trace',
  )
  const { json } = await service.call('GET', `/v2/evaluations?trace_id=${old}`)
  assert.deepEqual(json.evaluations, [])
}

function answersOf(name: string): SeenAnswers {
  return JSON.parse(readFileSync(keptFile(name, 'answers'), 'utf8')) as SeenAnswers
}

/** Everything in `expected` is in `actual`; a newer version may say more, never less or something else. */
function assertHolds(actual: unknown, expected: unknown, where: string): void {
  if (typeof expected !== 'object' || expected === null) {
    assert.equal(actual, expected, where)
    return
  }
  if (Array.isArray(expected)) {
    assert.ok(Array.isArray(actual), where)
    assert.equal(actual.length, expected.length, where)
  }
  for (const [key, value] of Object.entries(expected))
    assertHolds((actual as Record<string, unknown> | undefined)?.[key], value, `${where} ${key}`)
}
