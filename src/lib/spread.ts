/** At most `limit` of the items, spread evenly over all of them and in their order. */
export function spread<T>(items: readonly T[], limit: number): T[] {
  if (items.length <= limit) return [...items]
  return Array.from({ length: limit }, (_, at) => items[Math.floor((at * items.length) / limit)] as T)
}
