// npm run test:crash -- --store sqlite|postgres|cluster --rounds 100: kills the service, or parts of it and of what it works
// with, at random moments, and counts what was lost and what was done twice.

import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startCounter } from './counting-judge.ts'
import { runCrashRounds } from './crash-rounds.ts'
import { runReplicaCrashRounds } from './replica-crash-rounds.ts'
import { runSpanCrashRounds } from './span-crash-rounds.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '50' }, store: { type: 'string', default: 'sqlite' } },
})
const rounds = Number(values.rounds)
const faults = values.store === 'sqlite' ? await crashOneProcess() : await crashReplicas(values.store)
if (faults.some((count) => count !== 0)) process.exitCode = 1

async function crashOneProcess(): Promise<number[]> {
  const setups = await inDirectory((directory) => runCrashRounds(directory, rounds))
  console.table(setups)
  const spans = await inDirectory((directory) => runSpanCrashRounds(directory, rounds))
  console.table(spans)
  const judge = await startCounter()
  const judged = await inDirectory((directory) =>
    runSpanCrashRounds(directory, rounds, { judgeUrl: judge.url }),
  )
  await judge.close()
  console.table({ ...judged, paidAgain: judge.calls() - judged.acknowledged })
  const ofSpans = [spans, judged].flatMap(({ lost, doubled, wrong, miscounted }) => [
    lost,
    doubled,
    wrong,
    miscounted,
  ])
  return [setups.lost, setups.torn, ...ofSpans]
}

async function crashReplicas(store: string): Promise<number[]> {
  if (store !== 'postgres' && store !== 'cluster') throw new Error('--store is sqlite, postgres or cluster')
  const report = await runReplicaCrashRounds(store, rounds, (text) => process.stderr.write(text))
  const { killed, recoveryMs, ...counts } = report
  console.table({
    ...counts,
    'recovery, median ms': recoveryMs.median,
    'recovery, longest ms': recoveryMs.longest,
  })
  console.table(killed)
  return [report.lost, report.doubled, report.wrong, report.miscounted, report.leftInStream]
}

async function inDirectory<T>(run: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'assay-crash-'))
  try {
    return await run(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
