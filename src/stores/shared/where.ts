/**
 * Conditions and their values, joined with AND. A condition whose value is not given says nothing. Each place of a value is
 * a `?`, so that one list of conditions can stand within another.
 */
export class Where<Value = string | number | Uint8Array> {
  readonly #conditions: string[] = []
  readonly values: Value[] = []

  and(condition: string, ...values: readonly (Value | undefined)[]): this {
    if (values.some((value) => value === undefined)) return this
    this.#conditions.push(condition)
    this.values.push(...(values as Value[]))
    return this
  }

  get sql(): string {
    return this.#conditions.join(' AND ')
  }
}

/**
 * A statement whose places are all written `?`, as `Where` writes them, with the numbers that `Sql` wants. Such a statement has
 * no `?` of another meaning.
 */
export function numberPlaces(sql: string): string {
  let count = 0
  return sql.replaceAll('?', () => `$${++count}`)
}
