import { splitSentences } from './sentences.ts'
import { contentWords } from './words.ts'

/** About how long a part of a source is when it is searched. */
const CHUNK_CHARS = 2_000
// The usual constants of BM25.
const SATURATION = 1.2
const LENGTH_WEIGHT = 0.75

/** A text in chunks of whole sentences; every sentence is in one of them. */
export function chunksOf(text: string, chunkChars: number = CHUNK_CHARS): string[] {
  const chunks: string[] = []
  let open: string[] = []
  let chars = 0
  for (const sentence of splitSentences(text)) {
    if (chars + sentence.length > chunkChars && open.length > 0) {
      chunks.push(open.join(' '))
      // The last sentence comes again, so that a pronoun at the border keeps what it stands for.
      open = open.slice(-1)
      chars = (open[0]?.length ?? 0) + 1
    }
    open.push(sentence)
    // The space between two sentences counts too.
    chars += sentence.length + 1
  }
  return open.length > 0 ? [...chunks, open.join(' ')] : chunks
}

/** Finds the parts of a text that have most to do with a query, by the words they share. */
export class ChunkIndex {
  readonly chunks: readonly string[]
  /** For each word the chunks that have it, and how often. */
  readonly #places = new Map<string, Map<number, number>>()
  readonly #lengths: readonly number[]
  readonly #meanLength: number

  constructor(chunks: readonly string[]) {
    this.chunks = chunks
    this.#lengths = chunks.map((chunk, at) => this.#add(contentWords(chunk), at))
    this.#meanLength = this.#lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, chunks.length)
  }

  #add(words: readonly string[], at: number): number {
    for (const word of words) {
      const places = this.#places.get(word) ?? new Map<number, number>()
      this.#places.set(word, places.set(at, (places.get(at) ?? 0) + 1))
    }
    return words.length
  }

  /** How rare a word is among the chunks; a word that none has is the rarest. */
  rarityOf(word: string): number {
    const having = this.#places.get(word)?.size ?? 0
    return Math.log(1 + (this.chunks.length - having + 0.5) / (having + 0.5))
  }

  /** How much each chunk has to do with the query, in the order of the chunks. */
  scoresFor(query: string): number[] {
    const scores = new Array<number>(this.chunks.length).fill(0)
    for (const word of new Set(contentWords(query))) {
      const rarity = this.rarityOf(word)
      for (const [at, count] of this.#places.get(word) ?? []) {
        const relativeLength = (this.#lengths[at] ?? 0) / Math.max(1, this.#meanLength)
        const norm = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * relativeLength)
        scores[at] = (scores[at] ?? 0) + (rarity * count * (SATURATION + 1)) / (count + norm)
      }
    }
    return scores
  }

  /** The places of the chunks that have most to do with the query, the best first. */
  bestFor(query: string, count: number): number[] {
    const scores = this.scoresFor(query)
    return [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b).slice(0, count)
  }

  /**
   * All chunks in parts of at most `charsMax` characters. The first part holds the best chunks of every query, the last one
   * those that share nothing with any; within a part the order is that of the text.
   */
  partsFor(queries: readonly string[], charsMax: number): string[] {
    const ranks = queries.map((query) => this.bestFor(query, this.chunks.length))
    const order = [...new Set(this.chunks.flatMap((_, rank) => ranks.map((ranked) => ranked[rank] ?? 0)))]
    const parts: number[][] = [[]]
    let chars = 0
    for (const at of order) {
      const length = (this.chunks[at]?.length ?? 0) + 1
      if (chars + length > charsMax && chars > 0) {
        parts.push([])
        chars = 0
      }
      parts.at(-1)?.push(at)
      chars += length
    }
    return parts.map((part) =>
      part
        .sort((a, b) => a - b)
        .map((at) => this.chunks[at] ?? '')
        .join('\n'),
    )
  }
}
