// npm run bench:neighbours [-- --rounds 3 --seconds 8 --attacks sql,backlog,execute,ingest --dir /path]: what a quiet tenant
// notices of a noisy one. Rounds with and without the attack alternate; bench/README.md says what is measured.

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { call } from '../tests/support/call.ts'
import { startBenchService } from './bench-service.ts'
import { ATTACKS, type Attack } from './neighbour-attacks.ts'
import { QuietTenant, type QuietTimes } from './quiet-tenant.ts'
import { describeRun, percentile, wholeNumber } from './run-report.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '8' },
    attacks: { type: 'string', default: ATTACKS.map(({ name }) => name).join(',') },
    dir: { type: 'string', default: os.tmpdir() },
  },
})
const rounds = wholeNumber('rounds', values.rounds, 1)
const seconds = wholeNumber('seconds', values.seconds, 1)
const chosen = values.attacks.split(',').map((name) => {
  const attack = ATTACKS.find((each) => each.name === name)
  if (!attack)
    throw new Error(`--attacks may name ${ATTACKS.map((each) => each.name).join(', ')}, not ${name}`)
  return attack
})

describeRun([
  `${rounds} rounds of ${seconds} s without and of ${seconds} s with each attack, in turn; SQLite on the file system of ${values.dir}`,
])

for (const attack of chosen) console.table(await measure(attack))

async function measure(attack: Attack): Promise<Record<string, Record<string, string>>> {
  const dataDir = mkdtempSync(path.join(values.dir, 'assay-neighbours-'))
  const service = await startBenchService(dataDir)
  try {
    const quiet = await QuietTenant.open(service.url, await newTenant(service.url, 'quiet'))
    const noisyKey = await newTenant(service.url, 'noisy')
    const alone: QuietTimes[] = []
    const attacked: QuietTimes[] = []
    await quiet.probeFor(2_000)
    for (let round = 0; round < rounds; round++) {
      alone.push(await quiet.probeFor(seconds * 1_000))
      const data = { name: attack.name, url: service.url, key: noisyKey, round }
      const noisy = new Worker(new URL('./neighbour-attack-thread.ts', import.meta.url), { workerData: data })
      await once(noisy, 'message')
      attacked.push(await quiet.probeFor(seconds * 1_000))
      noisy.postMessage('stop')
      await once(noisy, 'message')
      await noisy.terminate()
      await sleep(1_000)
    }
    return Object.fromEntries(
      (['ingest', 'score', 'execute'] as const).map((what) => [
        `${attack.name}: ${what}`,
        lineOf(
          alone.flatMap((times) => times[what]),
          attacked.flatMap((times) => times[what]),
          attacked,
        ),
      ]),
    )
  } finally {
    await service.end('SIGKILL')
    service.abandon()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function lineOf(
  alone: readonly number[],
  attacked: readonly number[],
  rounds: readonly QuietTimes[],
): Record<string, string> {
  const shown = (times: readonly number[], at: number) => percentile([...times], at).toFixed(0)
  return {
    'alone ms, p50 and p99': `${shown(alone, 50)} and ${shown(alone, 99)}`,
    'attacked ms, p50 and p99': `${shown(attacked, 50)} and ${shown(attacked, 99)}`,
    'p99 ratio': (percentile([...attacked], 99) / percentile([...alone], 99)).toFixed(1),
    probes: `${alone.length} and ${attacked.length}`,
    refused: String(rounds.reduce((sum, { refused }) => sum + refused, 0)),
  }
}

async function newTenant(url: string, name: string): Promise<string> {
  const { json } = await call(url, 'POST', '/v2/organizations', { body: { org_name: name } })
  return json.environments[0].api_key
}
