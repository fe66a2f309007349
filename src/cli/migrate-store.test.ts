import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryDirectory } from '../../tests/support/temporary-directory.ts'
import { renderComparison, runMigrateStoreCommand } from './migrate-store.ts'
import { UsageError } from './usage-error.ts'

const URL = 'postgres://nobody@127.0.0.1:1/nothing'
const ARGS = ['--from', 'sqlite', '--to', 'postgres']

test('migrate-store names what it needs', async () => {
  const env = { ASSAY_DATA_DIR: temporaryDirectory(), ASSAY_DATABASE_URL: URL }
  for (const args of [
    [],
    ['--from', 'sqlite'],
    ['--from', 'postgres', '--to', 'sqlite'],
    [...ARGS, '--fast'],
  ])
    await assert.rejects(runMigrateStoreCommand(args, env), UsageError)
  const { ASSAY_DATABASE_URL: _, ...withoutDatabase } = env
  await assert.rejects(runMigrateStoreCommand(ARGS, withoutDatabase), /ASSAY_DATABASE_URL/)
  await assert.rejects(runMigrateStoreCommand(ARGS, env), /there is no store/)
})

test('the comparison has a line for each table and says which are not the same', () => {
  const same = { rows: { source: 12, target: 12 }, checksum: { source: 'aa', target: 'aa' }, isSame: true }
  const other = { rows: { source: 3, target: 2 }, checksum: { source: 'bb', target: 'cc' }, isSame: false }
  const lines = renderComparison([
    { name: 'spans', ...same },
    { name: 'evaluations', ...other },
  ]).split('\n')
  assert.equal(lines.length, 3)
  assert.match(lines[1] ?? '', /^spans +12 +12 +aa +aa +same$/)
  assert.match(lines[2] ?? '', /^evaluations +3 +2 +bb +cc +DIFFERENT$/)
})
