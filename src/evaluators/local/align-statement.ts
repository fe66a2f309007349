import { ChunkIndex } from './chunks.ts'
import { type CalendarDate, dateSays, datesOf } from './dates.ts'
import { cosineOf } from './meaning.ts'
import { nameWordsOf } from './names.ts'
import { negationsOf } from './negation.ts'
import { oppositesIn } from './opposites.ts'
import { type Quantity, quantitiesOf, sameQuantity } from './quantities.ts'
import { splitSentences } from './sentences.ts'
import { embedText } from './text-model.ts'
import { contentWords, stemOf } from './words.ts'

/** How a statement and a source compare, without a language model. */
export interface Alignment {
  /** The share of the statement's words, weighed by rarity, that its best passage has. */
  readonly coverage: number
  /** The same share in the whole source. */
  readonly sourceCoverage: number
  /** How close the statement is in meaning to the best of the passages, from 0 to 1; computed when it is read. */
  readonly similarity: number
  /** The passage of the source that the statement has most to do with. */
  readonly passage: string
  /** Numbers, dates and parts of names that the source does not have. */
  readonly missingNumbers: number
  readonly missingDates: number
  readonly missingNames: number
  /** Whether exactly one of statement and passage denies something. */
  readonly isNegationDifferent: boolean
  /** Words of the statement that are not in the best passages, while their opposites are. */
  readonly opposites: number
  /** The different words of the statement that carry meaning. */
  readonly words: number
}

/** A source that statements are compared with; made once for many statements. */
export class AlignedSource {
  readonly #index: ChunkIndex
  readonly #words: ReadonlySet<string>
  readonly #quantities: readonly Quantity[]
  readonly #dates: readonly CalendarDate[]
  readonly #meanings = new Map<number, Float32Array | undefined>()

  constructor(source: string) {
    this.#index = new ChunkIndex(splitSentences(source))
    this.#words = new Set(contentWords(source))
    this.#quantities = quantitiesOf(source)
    this.#dates = datesOf(source)
  }

  /** Compares one statement with the passages that share most words with it. */
  align(statement: string, passagesMax = 3): Alignment {
    const words = [...new Set(contentWords(statement))]
    const best = this.#index.bestFor(statement, passagesMax)
    const passage = this.#index.chunks[best[0] ?? -1] ?? ''
    const near = best.map((at) => this.#index.chunks[at] ?? '').join(' ')
    const similarity = () => this.#similarity(statement, best)
    let known: number | undefined
    return {
      coverage: this.#shareOf(words, new Set(contentWords(near))),
      sourceCoverage: this.#shareOf(words, this.#words),
      // Reading for meaning is what takes time: it is done on request, and once.
      get similarity() {
        known ??= similarity()
        return known
      },
      passage,
      missingNumbers: quantitiesOf(statement).filter(
        (wanted) => !this.#quantities.some((found) => sameQuantity(found, wanted)),
      ).length,
      missingDates: datesOf(statement).filter(
        (wanted) => !this.#dates.some((found) => dateSays(found, wanted)),
      ).length,
      missingNames: [...nameWordsOf(statement)].filter((name) => !this.#words.has(stemOf(name))).length,
      isNegationDifferent: negationsOf(statement) > 0 !== negationsOf(passage) > 0,
      opposites: oppositesIn(statement, near),
      words: words.length,
    }
  }

  #shareOf(words: readonly string[], having: ReadonlySet<string>): number {
    let total = 0
    let found = 0
    for (const word of words) {
      const weight = this.#index.rarityOf(word)
      total += weight
      if (having.has(word)) found += weight
    }
    return total === 0 ? 0 : found / total
  }

  #similarity(statement: string, places: readonly number[]): number {
    const meaning = embedText(statement)
    if (!meaning) return 0
    return Math.max(
      0,
      ...places.map((at) => {
        if (!this.#meanings.has(at)) this.#meanings.set(at, embedText(this.#index.chunks[at] ?? ''))
        const other = this.#meanings.get(at)
        return other ? Math.min(1, cosineOf(meaning, other)) : 0
      }),
    )
  }
}
