import type { PostgresOptions } from '../postgres/postgres-database.ts'
import { MOVED_TABLES, type MovedTable } from './moved-tables.ts'
import { PostgresTarget } from './postgres-target.ts'
import { SqliteSource } from './sqlite-source.ts'

/** Rows that are moved in one transaction, or fewer when they have more bytes than that. */
const PIECE_ROWS_MAX = 2_000
const PIECE_BYTES_MAX = 8_388_608

/** One table on both sides, after the move. */
export interface ComparedTable {
  readonly name: string
  readonly rows: { readonly source: number; readonly target: number }
  readonly checksum: { readonly source: string; readonly target: string }
  readonly isSame: boolean
}

/** From where to where, and who wants to hear of it. */
export interface MoveOptions {
  readonly dataDir: string
  readonly postgres: PostgresOptions
  /** Instead of the usual number of rows in one piece. */
  readonly pieceRowsMax?: number
  /** After each piece that is stored; what it throws ends the move, which can be carried on later. */
  readonly onProgress: (table: string, rows: number) => void
}

/**
 * Moves the embedded store to a PostgreSQL database that is empty, or that an earlier move of the same store has left behind
 * half full: that one is carried on. Each piece is one transaction with the place where it ends. Then both sides are read
 * again and compared. The database can be used only when everything is there and the same.
 */
export async function moveStore(options: MoveOptions): Promise<ComparedTable[]> {
  const source = SqliteSource.open(options.dataDir)
  try {
    const target = await PostgresTarget.open(options.postgres)
    try {
      await target.begin(source)
      await target.makePartitions(source, Date.now())
      for (const table of MOVED_TABLES) await moveTable(source, target, table, options)
      const compared: ComparedTable[] = []
      for (const table of MOVED_TABLES) compared.push(await compare(source, target, table))
      if (compared.every(({ isSame }) => isSame)) await target.finish(source)
      return compared
    } finally {
      await target.close()
    }
  } finally {
    source.close()
  }
}

async function moveTable(
  source: SqliteSource,
  target: PostgresTarget,
  table: MovedTable,
  { onProgress, pieceRowsMax = PIECE_ROWS_MAX }: MoveOptions,
): Promise<void> {
  const columns = source.columnsOf(table)
  const places = table.key.map((column) => columns.indexOf(column))
  let { after, isDone } = await target.progressOf(table)
  while (!isDone) {
    const rows = source.rowsAfter(table, after, pieceRowsMax, PIECE_BYTES_MAX)
    const last = rows.at(-1)
    isDone = last === undefined
    await target.append(table, columns, rows, isDone)
    if (last === undefined) return
    after = places.map((place) => last[place] ?? null)
    onProgress(table.name, rows.length)
  }
}

async function compare(
  source: SqliteSource,
  target: PostgresTarget,
  table: MovedTable,
): Promise<ComparedTable> {
  const expected = source.checksum(table)
  const found = await target.checksum(table, source.columnsOf(table))
  const checksum = { source: String(expected), target: String(found) }
  const rows = { source: expected.rows, target: found.rows }
  const isSame = rows.source === rows.target && checksum.source === checksum.target
  return { name: table.name, rows, checksum, isSame }
}
