import { CompactReader, CompactWriter } from './compact-bytes.ts'

/** How far a quantile may lie from the true one, relative to it, as long as the buckets suffice. */
export const SKETCH_ACCURACY = 0.01

/** Most buckets of one sketch. At 1 % they span 17 orders of magnitude; values spread wider make the buckets coarser. */
export const SKETCH_BUCKETS_MAX = 2_048

const FORMAT = 1
const LN_GAMMA = Math.log((1 + SKETCH_ACCURACY) / (1 - SKETCH_ACCURACY))

/** `only` is the value of the bucket as long as all of its values were the same one, NaN afterwards. */
interface Bucket {
  count: number
  only: number
}

/**
 * A histogram of numbers whose buckets grow with the numbers' magnitude (DDSketch), so that every quantile comes out
 * within 1 % whatever the range; a bucket that has seen only one value, such as a small integer, gives it exactly. When
 * there are too many buckets, neighbours are joined all along the line (UDDSketch). Whether they must be joined depends
 * only on the set of values: a sketch merged from parts is, to the byte, the sketch of the whole.
 */
export class ValueSketch {
  #zeros = 0
  #count = 0
  /** How often neighbours were joined; bucket `i` covers magnitudes over gamma^(i-1) up to gamma^i, gamma squared each time. */
  #level = 0
  #positive = new Map<number, Bucket>()
  #negative = new Map<number, Bucket>()

  /** How many values are in it. */
  get count(): number {
    return this.#count
  }

  add(value: number, count = 1): void {
    if (!Number.isFinite(value)) throw new RangeError(`a sketch cannot hold ${value}`)
    if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`${count} is not a count`)
    this.#count += count
    if (value === 0) {
      this.#zeros += count
      return
    }
    addTo(value > 0 ? this.#positive : this.#negative, this.#indexOf(value), count, value)
    this.#shrink()
  }

  /**
   * Takes one value out again; false, and nothing changed, when there is none in its bucket. A bucket that has held several
   * values goes on being told by its middle, also when only equal ones are left: it cannot know which of them went.
   */
  remove(value: number): boolean {
    if (!Number.isFinite(value)) throw new RangeError(`a sketch cannot hold ${value}`)
    if (value === 0 ? this.#zeros === 0 : !this.#removeFromBucket(value)) return false
    if (value === 0) this.#zeros--
    this.#count--
    return true
  }

  /** Takes in all values of another sketch, which stays as it is. */
  merge(other: ValueSketch): void {
    this.#count += other.#count
    this.#zeros += other.#zeros
    while (this.#level < other.#level) this.#coarsen()
    addAll(this.#positive, other.#positive, this.#level - other.#level)
    addAll(this.#negative, other.#negative, this.#level - other.#level)
    this.#shrink()
  }

  /**
   * The value below which the share `q` lies, between the two nearest values where it falls between them (the
   * `percentile_cont` of SQL); undefined when there is no value at all.
   */
  quantile(q: number): number | undefined {
    if (!(q >= 0 && q <= 1)) throw new RangeError(`${q} is not a share`)
    if (this.#count === 0) return undefined
    const rank = q * (this.#count - 1)
    const below = Math.floor(rank)
    const [low, high] = this.#valuesAt(below, Math.ceil(rank))
    const share = rank - below
    return low === high ? low : low * (1 - share) + high * share
  }

  /** The values from the smallest to the largest, each with how often it occurs, as exactly as the buckets tell. */
  values(): [value: number, count: number][] {
    return this.#inOrder().filter(([, count]) => count > 0)
  }

  /** Equal sketches have equal bytes. */
  encode(): Uint8Array {
    const writer = new CompactWriter()
    writer.unsigned(FORMAT)
    writer.unsigned(this.#level)
    writer.unsigned(this.#zeros)
    writeBuckets(writer, this.#positive)
    writeBuckets(writer, this.#negative)
    return writer.finish()
  }

  static decode(bytes: Uint8Array): ValueSketch {
    const sketch = new ValueSketch()
    sketch.mergeEncoded(bytes)
    return sketch
  }

  /** Takes in a sketch from its bytes, without making it first; a chart of a month merges tens of thousands. */
  mergeEncoded(bytes: Uint8Array): void {
    const reader = new CompactReader(bytes)
    const format = reader.unsigned()
    if (format !== FORMAT) throw new Error(`a sketch of format ${format} cannot be read`)
    const level = reader.unsigned()
    const zeros = reader.unsigned()
    while (this.#level < level) this.#coarsen()
    const joins = this.#level - level
    this.#zeros += zeros
    this.#count += zeros
    this.#count += readBuckets(reader, this.#positive, joins)
    this.#count += readBuckets(reader, this.#negative, joins)
    if (!reader.isAtEnd) throw new Error('a sketch has more bytes than it says')
    this.#shrink()
  }

  #removeFromBucket(value: number): boolean {
    const buckets = value > 0 ? this.#positive : this.#negative
    const index = this.#indexOf(value)
    const bucket = buckets.get(index)
    if (!bucket || (!Number.isNaN(bucket.only) && bucket.only !== value)) return false
    bucket.count--
    if (bucket.count === 0) buckets.delete(index)
    return true
  }

  #indexOf(value: number): number {
    return joined(Math.ceil(Math.log(Math.abs(value)) / LN_GAMMA), this.#level)
  }

  #shrink(): void {
    while (this.#positive.size + this.#negative.size > SKETCH_BUCKETS_MAX) this.#coarsen()
  }

  #coarsen(): void {
    const { positive, negative } = { positive: this.#positive, negative: this.#negative }
    this.#level++
    this.#positive = new Map()
    this.#negative = new Map()
    addAll(this.#positive, positive, 1)
    addAll(this.#negative, negative, 1)
  }

  // The values at two places of the sorted line, `first` not behind `second`.
  #valuesAt(first: number, second: number): [number, number] {
    let seen = 0
    let low: number | undefined
    for (const [value, count] of this.#inOrder()) {
      seen += count
      if (low === undefined && seen > first) low = value
      if (low !== undefined && seen > second) return [low, value]
    }
    throw new Error('a sketch counts more values than it holds')
  }

  #inOrder(): [value: number, count: number][] {
    const valued = (buckets: Map<number, Bucket>, sign: number) =>
      sorted(buckets).map(([index, { count, only }]): [number, number] => [
        Number.isNaN(only) ? sign * middleOf(index, this.#level) : only,
        count,
      ])
    return [...valued(this.#negative, -1).reverse(), [0, this.#zeros], ...valued(this.#positive, 1)]
  }
}

function coarser(index: number): number {
  return Math.ceil(index / 2)
}

// The magnitude that is at most the accuracy away from both ends of its bucket. Buckets at the ends of what a number can
// hold have theirs beyond it.
function middleOf(index: number, level: number): number {
  const lnGamma = LN_GAMMA * 2 ** level
  const middle = Math.exp(index * lnGamma + Math.log(2 / (Math.exp(lnGamma) + 1)))
  return Math.min(Math.max(middle, Number.MIN_VALUE), Number.MAX_VALUE)
}

function addTo(buckets: Map<number, Bucket>, index: number, count: number, only: number): void {
  const bucket = buckets.get(index)
  if (!bucket) {
    buckets.set(index, { count, only })
    return
  }
  bucket.count += count
  if (bucket.only !== only) bucket.only = Number.NaN
}

function addAll(into: Map<number, Bucket>, from: Map<number, Bucket>, joins: number): void {
  for (const [index, { count, only }] of from) addTo(into, joined(index, joins), count, only)
}

function joined(index: number, joins: number): number {
  let at = index
  for (let join = 0; join < joins; join++) at = coarser(at)
  return at
}

function sorted(buckets: Map<number, Bucket>): [number, Bucket][] {
  return [...buckets].sort(([left], [right]) => left - right)
}

// The data after a bucket's index and count: nothing, its only value as a whole number, or as any number.
const MIXED = 0
const WHOLE = 1
const FRACTION = 2
/** Whole numbers up to here are shorter as such than as eight bytes. */
const WHOLE_MAX = 2 ** 48

function writeBuckets(writer: CompactWriter, buckets: Map<number, Bucket>): void {
  writer.unsigned(buckets.size)
  let last = 0
  for (const [index, { count, only }] of sorted(buckets)) {
    const kind = kindOf(only)
    writer.signed(index - last)
    writer.unsigned(count)
    writer.unsigned(kind)
    if (kind === WHOLE) writer.signed(only)
    else if (kind === FRACTION) writer.float(only)
    last = index
  }
}

/** Adds the buckets that follow and tells how many values they hold. */
function readBuckets(reader: CompactReader, into: Map<number, Bucket>, joins: number): number {
  const size = reader.unsigned()
  let index = 0
  let total = 0
  for (let read = 0; read < size; read++) {
    index += reader.signed()
    const count = reader.unsigned()
    addTo(into, joined(index, joins), count, readOnly(reader, reader.unsigned()))
    total += count
  }
  return total
}

function readOnly(reader: CompactReader, kind: number): number {
  if (kind === MIXED) return Number.NaN
  if (kind === WHOLE) return reader.signed()
  if (kind === FRACTION) return reader.float()
  throw new Error(`a sketch has a bucket of unknown kind ${kind}`)
}

function kindOf(only: number): number {
  if (Number.isNaN(only)) return MIXED
  return Number.isInteger(only) && Math.abs(only) <= WHOLE_MAX ? WHOLE : FRACTION
}
