/** A list as one value, for `IN (SELECT value FROM json_each(?))`. */
export function jsonOf(list: readonly (string | number)[] | undefined): string | undefined {
  return list && JSON.stringify(list)
}
