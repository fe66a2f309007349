import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { startFakeModel } from '../../src/cli/fake-judge/fake-model-server.ts'
import { DATABASE_FILE } from '../../src/stores/sqlite/sqlite-storage.ts'
import { atServer, bareDatabase } from '../support/postgres-store.ts'
import { startService, type TestService } from '../support/service.ts'
import { chatSpan, sendSpans, untilStatus } from '../support/spans.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

// Earlier versions took a threshold of 0.5 for agent-goal-completeness where a setup gave none. These tests open stores with
// such setups: what they ran with is part of their configuration from then on.

const CONFIG = '"config":{"threshold":0.5}'

/**
 * The statements that make a store of today the one that the previous version would have written, and then the migration.
 * Migrations that came later stay.
 */
function upgradeAgain(store: 'sqlite' | 'postgres'): string[] {
  const without = (column: string) => `replace(replace(${column}, ',${CONFIG}', ''), '{${CONFIG}}', '{}')`
  const directory = path.join(import.meta.dirname, `../../src/stores/${store}/migrations`)
  const file = readdirSync(directory).find((name) => name.endsWith('-required-threshold.sql')) ?? ''
  return [
    `UPDATE setup_entries SET override = ${without('override')} WHERE slug = 'agent-goal-completeness'`,
    `UPDATE setup_versions SET evaluators = ${without('evaluators')}`,
    readFileSync(path.join(directory, file), 'utf8'),
  ]
}

test('a SQLite store keeps the threshold that its setups ran with', async () => {
  const dataDir = temporaryDirectory()
  await upgrade({ ASSAY_DATA_DIR: dataDir, ASSAY_DATABASE_URL: '' }, async () => {
    const db = new DatabaseSync(path.join(dataDir, DATABASE_FILE))
    for (const sql of upgradeAgain('sqlite')) db.exec(sql)
    db.close()
  })
})

test('a PostgreSQL store keeps the threshold that its setups ran with', async () => {
  const url = await bareDatabase()
  await upgrade({ ASSAY_DATABASE_URL: url }, () =>
    atServer(url, async (client) => {
      for (const sql of upgradeAgain('postgres')) await client.query(sql)
    }),
  )
})

async function upgrade(store: Record<string, string>, migrate: () => Promise<void>): Promise<void> {
  const model = await startFakeModel()
  after(() => model.close())
  const env = {
    ...{ ASSAY_JUDGE_BASE_URL: model.url, ASSAY_JUDGE_API_KEY: 'sk-test', ASSAY_SETUP_REST_MS: '0' },
    ...store,
  }
  const earlier = await startService(env)
  const before = await completedSetups(earlier)
  await earlier.close()
  await migrate()

  const service = await startService(env)
  assert.deepEqual(await readSetups(service), before, 'nothing but the configuration is written')
  for (const { external_id: name } of before)
    assert.equal((await service.call('PUT', `/v2/auto-monitor-setups/${name}`, { body: {} })).status, 200)
  for (const { external_id: name } of before) await untilStatus(service, name, 'completed')
  const monitors = (await service.call('GET', '/v2/monitors')).json.monitors
  const thresholds: Record<string, number> = {}
  for (const { id, evaluator_type: slug } of monitors) {
    const { json } = await service.call('GET', `/v2/monitors/${id}`)
    assert.equal(json.versions.length, 1, 'the monitor keeps its version, and so its series')
    if (slug === 'agent-goal-completeness') thresholds[json.external_id] = json.versions[0].config.threshold
  }
  assert.deepEqual(thresholds, { plain: 0.5, mapped: 0.5, strict: 0.9 })
}

/** Setups with and without other settings beside the threshold, and with a text that PostgreSQL cannot hold as jsonb. */
async function completedSetups(service: TestService) {
  const goals = { slug: 'agent-goal-completeness', config: { threshold: 0.5 } }
  const mapping = { trajectory_prompts: { field: 'prompts', regex: '(.+)' } }
  const bodies = [
    { external_id: 'plain', evaluator_configs: [goals] },
    {
      external_id: 'mapped',
      evaluators: ['regex-validator', 'agent-goal-completeness'],
      evaluator_configs: [
        { ...goals, scope: 'trace', mapping, sampling_rate: 0.5 },
        { slug: 'regex-validator', config: { regex: 'a\u0000\\u0000b' } },
      ],
    },
    { external_id: 'strict', evaluator_configs: [{ ...goals, scope: 'trace', config: { threshold: 0.9 } }] },
  ]
  for (const body of bodies) {
    const answer = await service.call('POST', '/v2/auto-monitor-setups', { body })
    assert.equal(answer.status, 201, answer.text)
  }
  await sendSpans(service, [chatSpan('one')])
  for (const { external_id: name } of bodies) await untilStatus(service, name, 'completed')
  return readSetups(service)
}

// biome-ignore lint/suspicious/noExplicitAny: the whole answer is compared.
async function readSetups(service: TestService): Promise<any[]> {
  return (await service.call('GET', '/v2/auto-monitor-setups')).json
}
