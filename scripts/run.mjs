// Every npm script of a checkout comes through here: install what is missing, then run the task under the bundled Node.js.
// The scripts say `exec node`, so that npm's signals reach this process and not a shell that keeps them to itself.
// Plain JavaScript with no dependency, because on a fresh clone there is only Node.js 20 and nothing installed.

import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackages } from './install-packages.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

// The packages that a task needs: `service` is the set that `npm start` installs, `everything` adds tools and test packages.
// Tasks that show the dashboard have it built.
const TASKS = {
  start: { needs: 'service', dashboard: true, script: 'scripts/assay.ts', args: ['start'] },
  assay: { needs: 'service', script: 'scripts/assay.ts', args: [] },
  demo: { needs: 'service', dashboard: true, script: 'demo/run-demo.ts', args: [] },
  showcase: { needs: 'service', dashboard: true, script: 'demo/showcase.ts', args: [] },
  screenshots: { needs: 'everything', dashboard: true, script: 'scripts/screenshots.ts', args: [] },
  test: { needs: 'everything', dashboard: true, script: 'scripts/test.ts', args: [] },
  'test-clients': { needs: 'everything', script: 'tests/clients/matrix/run-matrix.ts', args: [] },
  'test-load': { needs: 'everything', dashboard: true, script: 'scripts/test-load.ts', args: [] },
  check: { needs: 'everything', alsoNeeds: 'dashboard', script: 'scripts/check.ts', args: [] },
  format: { needs: 'everything', alsoNeeds: 'dashboard', script: 'scripts/check.ts', args: ['--write'] },
  generate: { needs: 'everything', script: 'scripts/generate.ts', args: [] },
  'keep-store': { needs: 'everything', script: 'scripts/keep-store.ts', args: [] },
  'new-evaluator': { needs: 'everything', script: 'scripts/new-evaluator.ts', args: [] },
  'bench-dashboard': { needs: 'everything', dashboard: true, script: 'bench/dashboard.ts', args: [] },
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
  'bench-neighbours': { needs: 'everything', script: 'bench/neighbours.ts', args: [] },
  'bench-scale': { needs: 'everything', script: 'bench/scale.ts', args: [] },
  'bench-start': { needs: 'everything', script: 'bench/start.ts', args: [] },
  'bench-span-storage': { needs: 'everything', script: 'bench/span-storage.ts', args: [] },
  'bench-quality': {
    needs: 'everything',
    alsoNeeds: 'bench/peers',
    script: 'bench/quality.ts',
    args: [],
  },
  build: { needs: 'everything', alsoNeeds: 'dashboard', script: 'scripts/build.ts', args: [] },
  crash: { needs: 'everything', script: 'tests/crash/run-crash-rounds.ts', args: [] },
  fuzz: { needs: 'everything', script: 'tests/fuzz/run-fuzz.ts', args: [] },
  licences: { needs: 'service', script: 'scripts/licences.ts', args: [] },
  release: { needs: 'service', script: 'scripts/release.ts', args: [] },
  sbom: { needs: 'service', script: 'scripts/sbom.ts', args: [] },
  faults: { needs: 'everything', script: 'tests/faults/run-faults.ts', args: [] },
  simulation: { needs: 'everything', script: 'tests/simulation/run-simulation.ts', args: [] },
}

const [taskName, ...rest] = process.argv.slice(2)
const task = TASKS[taskName]
if (!task) {
  console.error(`Unknown task ${taskName}. One of: ${Object.keys(TASKS).join(', ')}`)
  process.exit(1)
}

const folders = [
  [root, task.needs],
  ...(task.needs === 'everything' ? [[path.join(root, 'tests'), 'everything']] : []),
  ...(task.alsoNeeds ? [[path.join(root, task.alsoNeeds), 'everything']] : []),
]
for (const [dir, level] of folders) if (!installPackages(dir, level)) process.exit(1)

// Imported late: before the install there may be no binary to find.
if (task.dashboard) {
  const { buildDashboard } = await import('./build-dashboard.mjs')
  if (!buildDashboard())
    console.error('Warning: the dashboard could not be built. Everything else works without it.')
}
const { runWithNode } = await import('../bin/bundled-node.mjs')
runWithNode([path.join(root, task.script), ...task.args, ...rest], {
  compileCacheDir: path.join(root, 'node_modules/.cache/assay-compile'),
})
