import { parseArgs } from 'node:util'
import { ATTACKS, type Attack, type AttackSizes } from './crashtest/attacks.ts'
import { Trial, type TrialOptions } from './crashtest/trial.ts'
import type { Findings } from './crashtest/trial-client.ts'
import { UsageError } from './usage-error.ts'

const OPTIONS = {
  kills: { type: 'string', default: '5' },
  'stop-seconds': { type: 'string', default: '35' },
  sockets: { type: 'string', default: '50' },
} as const

const COLUMNS = [
  'attack or fault',
  'rounds',
  'acknowledged',
  'lost',
  'doubled',
  'invisible',
  'crashed',
  'time to recover',
]

/**
 * `assay crashtest`: kills, fills, stops and annoys a service on this machine and counts what became of spans that it had
 * acknowledged. The service has a store of its own in a temporary folder. Exit code 1 when a promise was broken.
 */
export async function runCrashtestCommand(args: readonly string[], options: TrialOptions): Promise<void> {
  const sizes = readSizes(args)
  print(
    'Each attack runs on a new service with its own store in a temporary folder. Your settings are ignored,',
  )
  print('ASSAY_DATA_DIR and ASSAY_DATABASE_URL among them: your own store is not opened.\n')
  print(line(COLUMNS))
  print(line(COLUMNS.map(() => '---')))
  let current: Trial | undefined
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      current?.close()
      process.kill(process.pid, signal)
    })
  }
  let broken = 0
  for (const attack of ATTACKS) {
    const reason = attack.unavailable?.()
    if (reason !== undefined) {
      print(line([attack.name, `not run: ${reason}`, '', '', '', '', '', '']))
      continue
    }
    current = new Trial(options)
    broken += await runAttack(attack, sizes, current)
  }
  if (broken > 0) {
    print(`\n${broken} ${broken === 1 ? 'promise was' : 'promises were'} broken.`)
    process.exitCode = 1
  }
}

/** Prints the row of an attack; tells how many promises it broke. */
async function runAttack(attack: Attack, sizes: AttackSizes, trial: Trial): Promise<number> {
  try {
    await trial.start()
    await trial.client.createSetup()
    const recoveredMs = await attack.run(trial, sizes)
    const findings = await trial.client.audit()
    print(line(cells(attack, sizes, findings, trial.crashes, recoveredMs)))
    return countBroken(findings) + trial.crashes
  } catch (error) {
    print(line([attack.name, attack.rounds(sizes), '', '', '', '', String(trial.crashes), 'did not recover']))
    print(`\n${attack.name}: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  } finally {
    trial.close()
  }
}

function cells(
  attack: Attack,
  sizes: AttackSizes,
  { acknowledged, lost, doubled, invisible }: Findings,
  crashes: number,
  recoveredMs: number,
): string[] {
  const counts = [acknowledged, lost, doubled, invisible, crashes].map(String)
  return [attack.name, attack.rounds(sizes), ...counts, `${(recoveredMs / 1_000).toFixed(1)} s`]
}

/** Nothing acknowledged also counts: then nothing was tested. */
function countBroken({ acknowledged, lost, doubled, invisible }: Findings): number {
  return [acknowledged === 0, lost > 0, doubled > 0, invisible > 0].filter(Boolean).length
}

function readSizes(args: readonly string[]): AttackSizes {
  const values = parse(args)
  return {
    kills: readNumber('--kills', values.kills),
    stopMs: readNumber('--stop-seconds', values['stop-seconds']) * 1_000,
    hostileSockets: readNumber('--sockets', values.sockets),
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function readNumber(name: string, text: string): number {
  const number = Number(text)
  if (!/^\d{1,4}$/.test(text) || number < 1)
    throw new UsageError(`${name} must be a whole number from 1 to 9999`)
  return number
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
