/** An object of a parsed JSON text. Its values are never undefined, so `undefined` always means "not there". */
export type JsonObject = Readonly<Record<string, unknown>>

/** True for a JSON object, not for an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True when the object has this key itself; `toString` and the like are not keys of `{}`. */
export function hasKey(object: JsonObject, key: string): boolean {
  return Object.hasOwn(object, key)
}

/** True when arrays and objects lie inside each other more than `levelsMax` deep. Without recursion, so any depth is safe. */
export function isNestedDeeperThan(value: unknown, levelsMax: number): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = []
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue
      if (depth === levelsMax) return true
      for (const inner of Object.values(item)) next.push(inner)
    }
    level = next
  }
  return false
}
