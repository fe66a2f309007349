import type { Sql, SqlValue } from './sql.ts'

/** Several items for which the same is looked up, and the column by which the rows of one item are sorted. */
export interface Items {
  readonly type: 'bigint' | 'bytea'
  readonly list: readonly (number | Uint8Array)[]
  readonly order: string
}

/**
 * The rows that a query has for each of several items, in the order of the items. The query is told how the item is written in
 * it; its other values are bound to `$2` and on. It is one statement where the engine can join laterally, and otherwise one for
 * each item: these need no journey to a server.
 */
export async function allOfEach<Row>(
  db: Sql,
  { type, list, order }: Items,
  query: (item: string) => string,
  ...values: SqlValue[]
): Promise<Row[]> {
  const { forEach } = db.dialect
  if (forEach) return db.all<Row>(forEach(type, query, order), list, ...values)
  const statement = `SELECT found.* FROM (${query('$1')}) AS found ORDER BY found.${order}`
  const rows: Row[] = []
  for (const item of list) rows.push(...(await db.all<Row>(statement, item, ...values)))
  return rows
}
