// Every npm script of a checkout comes through here: install what is missing, then run the task under Node.js 24.
// The scripts say `exec node`, so that npm's signals reach this process and not a shell that keeps them to itself.
// Plain JavaScript with no dependency, because on a fresh clone there is only Node.js 20 and nothing installed.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

// What a task needs installed: `service` is what `npm start` installs, `everything` adds tools and test packages.
const TASKS = {
  start: { needs: 'service', script: 'scripts/assay.ts', args: ['start'] },
  assay: { needs: 'service', script: 'scripts/assay.ts', args: [] },
  demo: { needs: 'service', script: 'demo/run-demo.ts', args: [] },
  test: { needs: 'everything', script: 'scripts/test.ts', args: [] },
  check: { needs: 'everything', script: 'scripts/check.ts', args: [] },
  format: { needs: 'everything', script: 'scripts/check.ts', args: ['--write'] },
  generate: { needs: 'everything', script: 'scripts/generate.ts', args: [] },
  'new-evaluator': { needs: 'everything', script: 'scripts/new-evaluator.ts', args: [] },
  'bench-evaluators': {
    needs: 'everything',
    alsoNeeds: 'bench/peers',
    script: 'bench/evaluators.ts',
    args: [],
  },
  'bench-ingest': { needs: 'everything', script: 'bench/ingest.ts', args: [] },
  'bench-judge': {
    needs: 'everything',
    alsoNeeds: 'bench/peers/judges',
    script: 'bench/judge.ts',
    args: [],
  },
  'bench-latency': { needs: 'everything', script: 'bench/latency.ts', args: [] },
  'bench-match': { needs: 'everything', script: 'bench/match.ts', args: [] },
  'bench-scale': { needs: 'everything', script: 'bench/scale.ts', args: [] },
  'bench-start': { needs: 'everything', script: 'bench/start.ts', args: [] },
  'bench-span-storage': { needs: 'everything', script: 'bench/span-storage.ts', args: [] },
  'bench-quality': {
    needs: 'everything',
    alsoNeeds: 'bench/peers',
    script: 'bench/quality.ts',
    args: [],
  },
  build: { needs: 'everything', script: 'scripts/build.ts', args: [] },
  crash: { needs: 'everything', script: 'tests/crash/run-crash-rounds.ts', args: [] },
}

const [taskName, ...rest] = process.argv.slice(2)
const task = TASKS[taskName]
if (!task) {
  console.error(`Unknown task ${taskName}. One of: ${Object.keys(TASKS).join(', ')}`)
  process.exit(1)
}

installIfMissing(root, task.needs)
if (task.needs === 'everything') installIfMissing(path.join(root, 'tests'), 'everything')
if (task.alsoNeeds) installIfMissing(path.join(root, task.alsoNeeds), 'everything')

// Imported late: before the install there may be no binary to find.
const { runNode24 } = await import('../bin/node24.mjs')
runNode24([path.join(root, task.script), ...task.args, ...rest], {
  compileCacheDir: path.join(root, 'node_modules/.cache/assay-compile'),
})

/** Installs from the lockfile unless a marker says that exactly this lockfile is installed already. */
function installIfMissing(dir, level) {
  const marker = path.join(dir, 'node_modules/.assay-installed')
  const hash = createHash('sha256')
    .update(readFileSync(path.join(dir, 'package-lock.json')))
    .digest('hex')
  const installed = existsSync(marker) ? readFileSync(marker, 'utf8').trim() : ''
  if (installed === `${hash} everything` || installed === `${hash} ${level}`) return

  console.log(`Installing packages${dir === root ? '' : ` for ${path.basename(dir)}`} ...`)
  const args = [
    'ci',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    ...(level === 'service' ? ['--omit=dev'] : []),
  ]
  const result = spawnSync('npm', args, { cwd: dir, stdio: 'inherit' })
  if (result.status !== 0) {
    console.error(`npm ${args.join(' ')} failed in ${dir}. Check the network and try again.`)
    process.exit(result.status ?? 1)
  }
  writeFileSync(marker, `${hash} ${level}\n`)
}
