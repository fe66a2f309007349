import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { Trial } from '../../src/cli/crashtest/trial.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const SMALL = 'size=24m'
const LARGE = 'size=96m'
const TEXT_BYTES = 12_000
const REQUESTS_MAX = 1_000

const disk = mkdtempSync(path.join(os.tmpdir(), 'assay-test-'))
const mounted = mount('tmpfs', '-t', 'tmpfs', '-o', SMALL)
after(() => {
  if (mounted === undefined) spawnSync('umount', ['-l', disk])
  rmSync(disk, { recursive: true, force: true })
})
const isRequired = process.env['CI_REQUIRES_MOUNT'] === '1'

test('a disk that fills up, also across a restart, hides and loses nothing once it has room again', {
  skip: mounted !== undefined && !isRequired && `a small disk cannot be mounted: ${mounted}`,
}, async () => {
  assert.equal(mounted, undefined)
  const command = [process.execPath, path.join(ROOT, 'scripts/assay.ts'), 'start']
  const trial = new Trial({ command, env: process.env, parent: disk })
  after(() => trial.close())
  await trial.start()
  await trial.client.createSetup()
  let isFull = false
  for (let at = 0; at < REQUESTS_MAX && !isFull; at++) isFull = !(await trial.client.send(TEXT_BYTES))
  assert.ok(isFull, 'the disk did not become full')
  // A start on a full disk may fail; the supervisor of a service would try again.
  await trial.end('SIGKILL')
  await trial.start().then(
    () => trial.end('SIGTERM'),
    () => {},
  )
  assert.equal(mount(disk, '-o', `remount,${LARGE}`), undefined)
  await trial.start()
  const findings = await trial.client.audit()
  assert.ok(findings.acknowledged > 100, `only ${findings.acknowledged} spans were acknowledged`)
  assert.deepEqual({ ...findings, acknowledged: 0 }, { acknowledged: 0, lost: 0, doubled: 0, invisible: 0 })
})

/** Why it was not possible; undefined when it was. */
function mount(what: string, ...options: string[]): string | undefined {
  const { status, stderr, error } = spawnSync('mount', [...options, what, ...(what === disk ? [] : [disk])], {
    encoding: 'utf8',
  })
  return status === 0 ? undefined : (error?.message ?? stderr.trim())
}
