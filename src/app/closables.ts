/** Closes one part that was opened. */
export type Close = () => Promise<unknown> | unknown

/** Everything that was opened so far; closed in the reverse order, because later parts use earlier ones. */
export class Closables {
  readonly #closes: Close[] = []
  #closing: Promise<void> | undefined

  add(close: Close): void {
    this.#closes.push(close)
  }

  /** Closes every part, once; one part that fails to close does not keep the others open. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll()
    return this.#closing
  }

  async #closeAll(): Promise<void> {
    const faults: unknown[] = []
    for (const close of this.#closes.toReversed()) {
      try {
        await close()
      } catch (error) {
        faults.push(error)
      }
    }
    if (faults.length === 1) throw faults[0]
    if (faults.length > 1) throw new AggregateError(faults, 'several parts could not be closed')
  }
}
