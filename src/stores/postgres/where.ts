/**
 * A statement whose places are all written `?`, as `Where` writes them, with the numbers that PostgreSQL wants. Such a
 * statement has no `?` of another meaning.
 */
export function numberPlaces(sql: string): string {
  let count = 0
  return sql.replaceAll('?', () => `$${++count}`)
}
