/** Memory that several acts share: an act that needs some waits until there is enough, in the order of asking. */
export class Room {
  readonly #bytesMax: number
  readonly #waiting: { readonly bytes: number; readonly enter: () => void }[] = []
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Does something that needs so many bytes. An act that needs more bytes than there are gets in alone. */
  async within<Result>(bytes: number, act: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((enter) => {
      this.#waiting.push({ bytes, enter })
      this.#admit()
    })
    try {
      return await act()
    } finally {
      this.#bytes -= bytes
      this.#admit()
    }
  }

  #admit(): void {
    for (;;) {
      const [next] = this.#waiting
      if (!next || (this.#bytes > 0 && this.#bytes + next.bytes > this.#bytesMax)) return
      this.#waiting.shift()
      this.#bytes += next.bytes
      next.enter()
    }
  }
}
