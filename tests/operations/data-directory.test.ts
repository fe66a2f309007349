import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { ownDataDirectory } from '../../src/stores/sqlite/data-owner.ts'
import { call, FIRST_KEY } from '../support/call.ts'
import { inheritedEnvironment } from '../support/process.ts'
import { spawnTestService } from '../support/process-in-test.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const ASSAY = path.resolve(import.meta.dirname, '../../scripts/assay.ts')
const run = promisify(execFile)
const assay = (dataDir: string, ...args: string[]) =>
  run(process.execPath, [ASSAY, ...args], {
    env: { ...inheritedEnvironment(), ASSAY_DATA_DIR: dataDir } as NodeJS.ProcessEnv,
  })
const start = (dataDir: string) => spawnTestService({ ASSAY_DATA_DIR: dataDir, ASSAY_API_KEY: FIRST_KEY })

describe('a data directory', () => {
  test('has one service: a second one is refused and told whose it is, commands are not', async () => {
    const dataDir = temporaryDirectory()
    const service = await start(dataDir)
    await assert.rejects(
      start(dataDir),
      new RegExp(`already runs on the data directory.*process ${service.child.pid}\\b`),
    )
    assert.match((await assay(dataDir, 'keys', 'list')).stdout, /works/)
    const created = (await assay(dataDir, 'keys', 'create')).stdout.trim()
    assert.equal((await call(service.url, 'GET', '/v2/auto-monitor-setups', { key: created })).status, 200)
    const copy = path.join(temporaryDirectory(), 'copy.db')
    await assay(dataDir, 'backup', copy)
    assert.ok(existsSync(copy))
    // Being refused has not taken the lock from its owner.
    await assert.rejects(start(dataDir), /already runs/)
    assert.equal((await call(service.url, 'GET', '/readyz', { key: null })).status, 200)
    await service.end('SIGTERM')
  })

  test('is free again as soon as its service is gone, also after kill -9', async () => {
    const dataDir = temporaryDirectory()
    const killed = await start(dataDir)
    await killed.end('SIGKILL')
    const second = await start(dataDir)
    assert.equal(await second.end('SIGTERM'), 0)
    const third = await start(dataDir)
    await third.end('SIGTERM')
  })

  test('keeps its lock when its own process asks once more', () => {
    const dataDir = temporaryDirectory()
    const owner = ownDataDirectory(dataDir)
    for (let attempt = 0; attempt < 2; attempt++) {
      assert.throws(() => ownDataDirectory(dataDir), new RegExp(`process ${process.pid}\\b`))
    }
    owner.release()
    ownDataDirectory(dataDir).release()
  })

  for (const umask of ['000', '022', '077']) {
    test(`has files that are its owner's alone under umask ${umask}, also those made before with another mode`, async () => {
      const dataDir = temporaryDirectory()
      chmodSync(dataDir, 0o755)
      const command = ['/bin/sh', '-c', `umask ${umask}; exec "$0" "$1" start`, process.execPath, ASSAY]
      const begin = () => spawnTestService({ ASSAY_DATA_DIR: dataDir }, command)
      const first = await begin()
      assert.deepEqual(openFiles(dataDir), [])
      assert.ok(readdirSync(dataDir).some((name) => name.endsWith('-wal')))
      await first.end('SIGKILL')
      for (const name of readdirSync(dataDir)) chmodSync(path.join(dataDir, name), 0o644)
      const second = await begin()
      assert.deepEqual(openFiles(dataDir), [])
      await second.end('SIGTERM')
      for (const name of readdirSync(dataDir)) chmodSync(path.join(dataDir, name), 0o666)
      const copies = temporaryDirectory()
      await assay(dataDir, 'backup', path.join(copies, 'copy.db'))
      assert.deepEqual(openFiles(copies), [])
      assert.deepEqual(
        openFiles(dataDir).filter((name) => name.startsWith('assay.db')),
        [],
      )
    })
  }

  test('may hold files of others, which stay as they are', async () => {
    const dataDir = temporaryDirectory()
    const file = path.join(dataDir, 'notes.txt')
    writeFileSync(file, 'mine', { mode: 0o644 })
    chmodSync(file, 0o644)
    const service = await start(dataDir)
    assert.equal(statSync(file).mode & 0o777, 0o644)
    await service.end('SIGTERM')
  })
})

/** Names of the files that other users than the owner may use. */
function openFiles(directory: string): string[] {
  return readdirSync(directory).filter((name) => (statSync(path.join(directory, name)).mode & 0o177) !== 0)
}
