interface Item {
  readonly id: number
}

/** A list with one item changed. */
export function changed<Kind extends Item>(list: readonly Kind[], item: Kind): Kind[] {
  return list.map((other) => (other.id === item.id ? item : other))
}

export function without<Kind extends Item>(list: readonly Kind[], id: number): Kind[] {
  return list.filter((item) => item.id !== id)
}

/** A list with one item a place further up (-1) or down (1). */
export function moved<Kind extends Item>(list: readonly Kind[], id: number, step: -1 | 1): Kind[] {
  const from = list.findIndex((item) => item.id === id)
  const to = from + step
  if (from < 0 || to < 0 || to >= list.length) return [...list]
  const rest = list.toSpliced(from, 1)
  return rest.toSpliced(to, 0, list[from] as Kind)
}
