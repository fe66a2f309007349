/** Buckets that features are hashed into; training/encoder/ngrams.py uses the same. */
const BUCKETS = 2 ** 19
const LETTERS_MIN = 2
const LETTERS_MAX = 4

/**
 * A linear model over the words of a text, pairs of neighbours and pieces of words. It knows rude spellings that the
 * encoder reads past; the encoder knows what words mean together.
 */
export class NgramModel {
  readonly #weights: Int8Array
  readonly #scale: number
  readonly #intercept: number

  /** `file` is what training/encoder/ngrams.py wrote: a weight per bucket, what one step of it is worth, and the start. */
  constructor(file: Uint8Array) {
    this.#weights = new Int8Array(file.buffer, file.byteOffset, BUCKETS)
    const numbers = new DataView(file.buffer, file.byteOffset + BUCKETS)
    this.#scale = numbers.getFloat32(0, true)
    this.#intercept = numbers.getFloat32(4, true)
  }

  /** The evidence of the words, as a logit; every feature counts as often as it occurs, against the length of all. */
  logitOf(words: readonly string[]): number {
    const counts = new Map<number, number>()
    for (const feature of featuresOf(words)) {
      const bucket = bucketOf(feature)
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
    }
    let sum = 0
    let squares = 0
    for (const [bucket, count] of counts) {
      sum += count * (this.#weights[bucket] ?? 0)
      squares += count * count
    }
    return squares === 0 ? this.#intercept : this.#intercept + (this.#scale * sum) / Math.sqrt(squares)
  }
}

/** Each word, each pair of neighbours, and every 2 to 4 letters of a word with its borders. */
function* featuresOf(words: readonly string[]): Generator<string> {
  for (const [at, word] of words.entries()) {
    yield `w${word}`
    const next = words[at + 1]
    if (next !== undefined) yield `w${word} ${next}`
    const letters = Array.from(` ${word} `)
    for (let length = LETTERS_MIN; length <= LETTERS_MAX; length++) {
      for (let start = 0; start + length <= letters.length; start++) {
        yield letters.slice(start, start + length).join('')
      }
    }
  }
}

/** The bucket of a feature: MurmurHash3 of its UTF-8 bytes, its sign left out. */
export function bucketOf(feature: string): number {
  const bytes = new TextEncoder().encode(feature)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let hash = 0
  const whole = bytes.length - (bytes.length % 4)
  for (let at = 0; at < whole; at += 4) {
    hash ^= mixed(view.getUint32(at, true))
    hash = (hash << 13) | (hash >>> 19)
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0
  }
  let rest = 0
  for (let at = bytes.length - 1; at >= whole; at--) rest = (rest << 8) | (bytes[at] ?? 0)
  hash ^= mixed(rest) ^ bytes.length
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return Math.abs(hash ^ (hash >>> 16)) % BUCKETS
}

function mixed(block: number): number {
  const turned = Math.imul(block, 0xcc9e2d51)
  return Math.imul((turned << 15) | (turned >>> 17), 0x1b873593)
}
