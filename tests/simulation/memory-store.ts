import { migrate } from '../../src/stores/sqlite/migrate.ts'
import { SqliteDatabase } from '../../src/stores/sqlite/sqlite-database.ts'

type Row = Record<string, string | number | null | Uint8Array>

/** The real store in memory, emptied for every run: that takes a fraction of what making the schema takes. */
export class MemoryStore {
  readonly db = SqliteDatabase.openWriter(':memory:')
  readonly #tables: string[]
  /** Rows that a new store has. */
  readonly #first = new Map<string, Row[]>()

  constructor() {
    migrate(this.db)
    this.db.exec('PRAGMA foreign_keys = OFF')
    const names = this.db.all<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_stat%'",
    )
    this.#tables = names.map(({ name }) => name)
    for (const table of this.#tables) {
      const rows = this.db.all<Row>(`SELECT * FROM ${table}`)
      if (rows.length > 0) this.#first.set(table, rows)
    }
  }

  /** A store as it is at its first start. */
  empty(): void {
    this.db.exec('BEGIN')
    for (const table of this.#tables) this.db.run(`DELETE FROM ${table}`)
    for (const [table, rows] of this.#first) {
      for (const row of rows) {
        const columns = Object.keys(row)
        const places = columns.map(() => '?').join(', ')
        this.db.run(
          `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`,
          ...(Object.values(row) as string[]),
        )
      }
    }
    this.db.exec('COMMIT')
  }
}
