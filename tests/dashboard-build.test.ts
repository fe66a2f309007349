import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from './support/temporary-directory.ts'

const root = path.dirname(import.meta.dirname)

/** Empties its folder as Vite does, and counts its builds beside it; fails when the sources say so. */
const VITE = `
import { mkdirSync, readFileSync, rmSync, writeFileSync, appendFileSync } from 'node:fs'
const main = readFileSync('src/main.tsx', 'utf8')
if (main === 'broken') { console.error('main.tsx is broken'); process.exit(1) }
rmSync('dist', { recursive: true, force: true })
mkdirSync('dist/assets', { recursive: true })
writeFileSync('dist/index.html', main)
appendFileSync('../builds', 'vite ' + process.argv.slice(2).join(' ') + '\\n')
`

/** A checkout with nothing in it but the launcher and a dashboard, whose tools are stand-ins. */
function checkout() {
  const dir = temporaryDirectory()
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true })
    writeFileSync(path.join(dir, name), text)
  }
  for (const name of ['run.mjs', 'build-dashboard.mjs', 'install-packages.mjs']) {
    cpSync(path.join(root, 'scripts', name), path.join(dir, 'scripts', name))
  }
  cpSync(path.join(root, 'bin'), path.join(dir, 'bin'), { recursive: true })
  const installed = `${createHash('sha256').update('{}').digest('hex')} everything\n`
  for (const folder of ['', 'tests/', 'dashboard/']) {
    write(`${folder}package-lock.json`, '{}')
    write(`${folder}node_modules/.assay-installed`, installed)
  }
  write('package.json', '{"type":"module"}')
  write('scripts/assay.ts', 'console.log("the service")')
  write('scripts/test.ts', 'console.log("the tests")')
  write('dashboard/package.json', '{"type":"module"}')
  write('dashboard/index.html', '')
  write('dashboard/vite.config.ts', '')
  write('dashboard/public/assets/icon.svg', '<svg/>')
  write('dashboard/src/main.tsx', 'first')
  write('dashboard/node_modules/vite/package.json', '{"type":"module"}')
  write('dashboard/node_modules/vite/bin/vite.js', VITE)
  const read = (name: string) => readFileSync(path.join(dir, name), 'utf8')
  return {
    dir,
    write,
    page: () => read('dashboard/dist/index.html'),
    builds: () => (existsSync(path.join(dir, 'builds')) ? read('builds').trim().split('\n') : []),
    run(task: string) {
      const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/run.mjs', task], {
        cwd: dir,
        encoding: 'utf8',
      })
      assert.equal(status, 0, stderr)
      return { stdout, stderr }
    },
  }
}

const VITE_LINE = 'vite build --logLevel error'

test('a start builds the dashboard once, and again when something of it has changed', () => {
  const { dir, run, write, page, builds } = checkout()
  assert.equal(run('start').stdout, 'Building the dashboard ...\nthe service\n')
  assert.equal(page(), 'first')
  assert.equal(run('start').stdout, 'the service\n')
  assert.deepEqual(builds(), [VITE_LINE])
  for (const [name, text] of [
    ['src/main.tsx', 'a second one'],
    ['src/ui/new.tsx', ''],
    ['public/assets/icon.svg', '<svg>changed</svg>'],
    ['index.html', 'changed'],
    ['vite.config.ts', 'changed'],
  ] as const) {
    write(`dashboard/${name}`, text)
    assert.match(run('start').stdout, /^Building/, name)
    assert.equal(run('start').stdout, 'the service\n')
  }
  assert.equal(page(), 'a second one')
  rmSync(path.join(dir, 'dashboard/dist'), { recursive: true })
  assert.match(run('start').stdout, /^Building/)
})

test('the service starts also when the dashboard cannot be built, with the last build', () => {
  const { run, write, page, builds } = checkout()
  run('start')
  write('dashboard/src/main.tsx', 'broken')
  for (let start = 0; start < 2; start++) {
    const { stdout, stderr } = run('start')
    assert.match(stdout, /the service\n$/)
    assert.match(stderr, /main\.tsx is broken\nWarning: the dashboard could not be built/)
  }
  assert.equal(page(), 'first')
  assert.equal(builds().length, 1)
})

test('a task that shows no dashboard builds none', () => {
  const { run, builds } = checkout()
  assert.equal(run('assay').stdout, 'the service\n')
  assert.deepEqual(builds(), [])
})
