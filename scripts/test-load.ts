// Runs the tests several times beside busy loops, to show that none depends on the speed of the machine. Prints a table of the
// runs and fails when one fails.

import path from 'node:path'
import type { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import { endWithParent, killGroup, spawnGuarded } from '../tests/support/guarded-process.ts'

const USAGE = `npm run test:load [-- [--runs N] [--loops N] [--short] [files ...]]

  --runs N    how often the tests run; 3 by default
  --loops N   busy loops beside them; 8 by default
  --short     one run, of a few files that once depended on the speed of the machine
  files       instead of all test files
`

/** Some that once depended on time: on that of hostile texts, of threads and of locks in the database. */
const SHORT = [
  'src/evaluators/agent-tool-error-detector/agent-tool-error-detector.test.ts',
  'src/pipeline/execute/evaluator-pool.test.ts',
  'src/pipeline/task-loop.test.ts',
  'src/stores/postgres/retention-operations.test.ts',
]

interface LoadRun {
  readonly seconds: number
  readonly counts: string
  readonly isGood: boolean
}

const options = readOptions()
endWithParent()
const loops = Array.from({ length: options.loops }, () =>
  spawnGuarded(process.execPath, ['-e', 'for (;;) {}'], { stdio: ['ignore', 'ignore', 'ignore'] }),
)
const runs: LoadRun[] = []
try {
  while (runs.length < options.runs) {
    console.log(`\nRun ${runs.length + 1} of ${options.runs} beside ${options.loops} busy loops`)
    runs.push(await runTests(options.files))
  }
} finally {
  for (const loop of loops) killGroup(loop)
}
console.log(`\n| run | result | tests | seconds |\n|---|---|---|---|`)
for (const [at, { seconds, counts, isGood }] of runs.entries())
  console.log(`| ${at + 1} | ${isGood ? 'passed' : 'FAILED'} | ${counts} | ${seconds} |`)
process.exit(runs.every(({ isGood }) => isGood) ? 0 : 1)

function readOptions(): { runs: number; loops: number; files: readonly string[] } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        runs: { type: 'string' },
        loops: { type: 'string', default: '8' },
        short: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) {
      console.log(USAGE)
      process.exit(0)
    }
    return {
      runs: numberOf('--runs', values.runs ?? (values.short ? '1' : '3'), 1),
      loops: numberOf('--loops', values.loops, 0),
      files: positionals.length === 0 && values.short ? SHORT : positionals,
    }
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`)
    process.exit(1)
  }
}

function numberOf(option: string, text: string, least: number): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < least || number > 1_000)
    throw new Error(`${option} must be an integer from ${least} to 1000, not "${text}"`)
  return number
}

/** Runs the tests as `npm test` does; the launcher has installed and built everything before this script. */
function runTests(files: readonly string[]): Promise<LoadRun> {
  const startedMs = performance.now()
  const child = spawnGuarded(process.execPath, [path.join(import.meta.dirname, 'test.ts'), ...files], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  const stdout = child.stdout as Readable
  stdout.on('data', (chunk: Buffer) => {
    process.stdout.write(chunk)
    said = (said + chunk.toString()).slice(-1_000)
  })
  return new Promise((resolve) => {
    child.on('close', (code) => {
      const seconds = Math.round((performance.now() - startedMs) / 1_000)
      const counts = said.match(/\d+ passed, .*/g)?.at(-1) ?? 'no count'
      resolve({ seconds, counts, isGood: code === 0 })
    })
  })
}
