import { readFileSync } from 'node:fs'
import type { Tokenizer } from '@huggingface/tokenizers'
import type { OwnModel } from '../../ports/text-classifier.ts'

/** Neighbouring windows share this part of their room, so that what lies on a border is seen whole by one of them. */
const SHARED_PART = 8
/** A text that every tokenizer makes at least one token of, to see what is put around it. */
const PROBE = 'a'

/** A part of a text as a model reads it. */
export interface TokenWindow {
  readonly ids: readonly number[]
  /** Without the markers. */
  readonly tokens: number
}

/** Turns texts into windows of a model's tokens. */
export class ModelTokenizer {
  readonly #tokenizer: Tokenizer
  readonly #before: readonly number[]
  readonly #after: readonly number[]
  readonly #room: number

  constructor(tokenizer: Tokenizer, windowTokens: number) {
    this.#tokenizer = tokenizer
    const bare = this.#idsOf(PROBE)
    const whole: readonly number[] = tokenizer.encode(PROBE).ids
    const at = whole.findIndex((_, start) => bare.every((id, i) => whole[start + i] === id))
    if (bare.length === 0 || at < 0) throw new Error('its markers cannot be told from a text')
    this.#before = whole.slice(0, at)
    this.#after = whole.slice(at + bare.length)
    this.#room = windowTokens - this.#before.length - this.#after.length
    if (this.#room < 1) throw new Error(`its markers fill the ${windowTokens} tokens of the model`)
  }

  /** The windows of a text; every token is in at least one. */
  *windows(text: string): Generator<TokenWindow> {
    const ids = this.#idsOf(text)
    const step = this.#room - Math.floor(this.#room / SHARED_PART)
    for (let start = 0; start < ids.length; start += step) {
      const part = ids.slice(start, start + this.#room)
      yield { ids: [...this.#before, ...part, ...this.#after], tokens: part.length }
      if (start + this.#room >= ids.length) return
    }
  }

  #idsOf(text: string): number[] {
    return this.#tokenizer.encode(text, { add_special_tokens: false }).ids
  }
}

/** Reads a model's tokenizer. */
export async function loadTokenizer(model: OwnModel): Promise<ModelTokenizer> {
  const { Tokenizer } = await import('@huggingface/tokenizers')
  const config = model.tokenizerConfigFile === undefined ? {} : readJson(model.tokenizerConfigFile)
  return new ModelTokenizer(new Tokenizer(readJson(model.tokenizerFile), config), model.windowTokens)
}

function readJson(file: string): object {
  return JSON.parse(readFileSync(file, 'utf8'))
}
