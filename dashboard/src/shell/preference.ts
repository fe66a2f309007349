import { useSyncExternalStore } from 'react'

/** A choice about the look of the pages that the browser remembers. Everything that shows it changes with it. */
export interface Preference<Value extends string> {
  /** The first one is in force where nothing was chosen. */
  readonly values: readonly Value[]
  read(): Value
  keep(value: Value): void
  /** The value that follows the one in force, for a button that goes round. */
  next(): Value
  /** Tells the styles, as `data-<name>` of the document. */
  apply(): void
  use(): Value
}

export function preference<Value extends string>(
  name: string,
  values: readonly [Value, ...Value[]],
): Preference<Value> {
  const place = `assay.${name}`
  const listeners = new Set<() => void>()
  const [usual] = values
  const read = () => values.find((value) => value === localStorage.getItem(place)) ?? usual
  const apply = () => {
    const value = read()
    if (value === usual) delete document.documentElement.dataset[name]
    else document.documentElement.dataset[name] = value
  }
  const listen = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    values,
    read,
    apply,
    keep(value) {
      if (value === usual) localStorage.removeItem(place)
      else localStorage.setItem(place, value)
      apply()
      for (const listener of listeners) listener()
    },
    next: () => values[(values.indexOf(read()) + 1) % values.length] ?? usual,
    use: () => useSyncExternalStore(listen, read),
  }
}
