import { RegexSyntaxError } from './regex-errors.ts'

/** Walks over a pattern token by token. A token is one character, or a backslash and the character after it. */
export class RegexCursor {
  readonly #characters: readonly string[]
  #index = 0
  /** The token that comes next, undefined at the end. */
  next: string | undefined

  constructor(source: string) {
    this.#characters = Array.from(source)
    this.#read()
  }

  /** Where the next token begins, in characters. */
  get position(): number {
    return this.#index - (this.next === undefined ? 0 : this.next.startsWith('\\') ? 2 : 1)
  }

  /** The next token; moves past it. */
  take(): string | undefined {
    const token = this.next
    this.#read()
    return token
  }

  /** Moves past the next token if it is this one. */
  match(token: string): boolean {
    if (this.next !== token) return false
    this.#read()
    return true
  }

  /** Moves past at most `max` tokens out of `allowed`; returns them. */
  takeWhile(allowed: string, max = Number.POSITIVE_INFINITY): string {
    let taken = ''
    while (taken.length < max && this.next !== undefined && allowed.includes(this.next)) taken += this.take()
    return taken
  }

  /** The tokens before `terminator`; moves past it. `what` names them in the error. */
  takeUntil(terminator: string, what: string): string {
    let taken = ''
    for (let token = this.take(); token !== terminator; token = this.take()) {
      if (token === undefined) {
        throw this.error(taken === '' ? `missing ${what}` : `missing ${terminator}, unterminated name`)
      }
      taken += token
    }
    if (taken === '') throw this.error(`missing ${what}`)
    return taken
  }

  /** Goes back to a position that `position` gave. */
  seek(position: number): void {
    this.#index = position
    this.#read()
  }

  /** A syntax error at a position, by default the current one. */
  error(message: string, position = this.position): RegexSyntaxError {
    return new RegexSyntaxError(`${message} at position ${position}`)
  }

  #read(): void {
    const character = this.#characters[this.#index]
    if (character !== '\\') {
      this.next = character
      if (character !== undefined) this.#index += 1
      return
    }
    const escaped = this.#characters[this.#index + 1]
    if (escaped === undefined) {
      throw new RegexSyntaxError(`bad escape (end of pattern) at position ${this.#index}`)
    }
    this.next = character + escaped
    this.#index += 2
  }
}
