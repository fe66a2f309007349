type Value = string | number | Uint8Array

/** Conditions and their values, joined with AND. A condition whose value is not given says nothing. */
export class Where {
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

/** A list as one value, for `IN (SELECT value FROM json_each(?))`. */
export function jsonOf(list: readonly (string | number)[] | undefined): string | undefined {
  return list && JSON.stringify(list)
}
