import { parseArgs } from 'node:util'
import { openControl } from '../app/open-core.ts'
import { readConfig } from '../config.ts'
import { BatchPacker } from '../pipeline/ingest/batch-packer.ts'
import { reportLines } from '../pipeline/verify/verify-report.ts'
import { verifyStore } from '../pipeline/verify/verify-store.ts'
import { UsageError } from './usage-error.ts'

/** `assay verify [--repair]`: looks through the whole store, also while the service runs; the exit code is 1 when faults are left. */
export async function runVerifyCommand(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const isRepairing = readArguments(args)
  const { config } = readConfig(env)
  const { storage, clock } = await openControl(config)
  const packer = new BatchPacker()
  try {
    const report = await verifyStore({
      storage,
      read: async (batch) => packer.inspect(batch.batchId, batch, batch.repeated),
      nowMs: () => clock.nowMs(),
      retentionHoursMax: config.retentionHours,
      isRepairing,
      onCheck: ({ name }) => process.stderr.write(`checked ${name}\n`),
    })
    process.stdout.write(`${reportLines(report).join('\n')}\n`)
    if (report.wrong > report.repaired) process.exitCode = 1
  } finally {
    await storage.close()
  }
}

function readArguments(args: readonly string[]): boolean {
  try {
    return parseArgs({ args: [...args], options: { repair: { type: 'boolean', default: false } } }).values
      .repair
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
