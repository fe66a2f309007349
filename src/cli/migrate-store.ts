import { parseArgs } from 'node:util'
import { type ComparedTable, moveToPostgres } from '../app/move-store.ts'
import { createAppLogger } from '../app.ts'
import { readConfig } from '../config.ts'
import { UsageError } from './usage-error.ts'

/** How often the screen is told how far it has come. */
const SHOWN_EACH_MS = 2_000

/** `assay migrate-store --from sqlite --to postgres`: moves what is stored, compares both sides, and says what differs. */
export async function runMigrateStoreCommand(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  checkArguments(args)
  const { config } = readConfig(env)
  const { databaseUrl, dataDir } = config
  if (databaseUrl === undefined) throw new UsageError('migrate-store needs ASSAY_DATABASE_URL')
  print(`moving the store in ${dataDir} to PostgreSQL`)
  const compared = await moveToPostgres(config, databaseUrl, createAppLogger(config), progressLine())
  print(renderComparison(compared))
  const different = compared.filter(({ isSame }) => !isSame).map(({ name }) => name)
  if (different.length > 0) {
    throw new Error(
      `the two stores differ in ${different.join(', ')}; the database cannot be used. Empty it and move again.`,
    )
  }
  print('moved; everything is the same on both sides. Start the service with ASSAY_DATABASE_URL.')
}

function checkArguments(args: readonly string[]): void {
  const { from, to } = readArguments(args)
  if (from !== 'sqlite' || to !== 'postgres')
    throw new UsageError('migrate-store needs --from sqlite --to postgres')
}

function readArguments(args: readonly string[]): { from?: string; to?: string } {
  try {
    return parseArgs({ args: [...args], options: { from: { type: 'string' }, to: { type: 'string' } } })
      .values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function progressLine(): (table: string, rows: number) => void {
  let shownAt = performance.now()
  let total = 0
  return (table, rows) => {
    total += rows
    if (performance.now() - shownAt < SHOWN_EACH_MS) return
    shownAt = performance.now()
    print(`  ${total} rows, at ${table}`)
  }
}

/** A line for each table: rows and checksum of the file, those of the database, and whether they are the same. */
export function renderComparison(tables: readonly ComparedTable[]): string {
  const lines = tables.map(({ name, rows, checksum, isSame }) => [
    name,
    String(rows.source),
    String(rows.target),
    checksum.source,
    checksum.target,
    isSame ? 'same' : 'DIFFERENT',
  ])
  const all = [
    ['table', 'rows in SQLite', 'in PostgreSQL', 'checksum in SQLite', 'in PostgreSQL', ''],
    ...lines,
  ]
  const widths = all[0]?.map((_, at) => Math.max(...all.map((line) => line[at]?.length ?? 0))) ?? []
  return all
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
