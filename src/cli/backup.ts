import { beginCopy, type StoreCopy } from '../app/copy-store.ts'
import { readConfig } from '../config.ts'
import { UsageError } from './usage-error.ts'

/** `assay backup <file>`: copies the embedded store, also while the service runs. */
export async function runBackupCommand(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const [target, ...rest] = args
  if (!target || target.startsWith('-') || rest.length > 0) {
    throw new UsageError('backup needs the name of a file that does not exist yet')
  }
  const { config } = readConfig(env)
  let copy: StoreCopy | undefined
  // Before there is anything to take away: from then on no signal may come between.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      copy?.abandon()
      // Nothing else ends a thread that is inside SQLite.
      process.kill(process.pid, signal)
    })
  }
  copy = beginCopy(config, target)
  process.stdout.write(`copied the store to ${target}, ${await copy.finished} bytes\n`)
}
