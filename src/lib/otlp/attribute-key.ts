/** Attribute names prepared for comparison with the bytes of a batch, so that a name that is not asked for stays bytes. */
export interface AttributeKey {
  readonly text: string
  readonly bytes: Buffer
  readonly hash: number
}

/** Most prepared keys that are remembered; setups name far fewer. */
const REMEMBERED_MAX = 10_000

const remembered = new Map<string, AttributeKey>()

/** The prepared form of a name. */
export function attributeKey(text: string): AttributeKey {
  const known = remembered.get(text)
  if (known) return known
  const bytes = Buffer.from(text)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const key = { text, bytes, hash: hashBytes(view, 0, bytes.length) }
  if (remembered.size >= REMEMBERED_MAX) remembered.clear()
  remembered.set(text, key)
  return key
}

/** A 32-bit hash of a range of bytes, four at a time; it decides nothing that a comparison does not confirm. */
export function hashBytes(view: DataView, start: number, end: number): number {
  let hash = end - start
  if (hash < 4) {
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ view.getUint8(at), 0x9e37_79b1)
    return hash ^ (hash >>> 15)
  }
  for (let at = start; at < end - 4; at += 4) {
    hash = Math.imul(hash ^ view.getInt32(at, true), 0x9e37_79b1)
    hash ^= hash >>> 15
  }
  // The last four bytes may overlap the ones before, which is cheaper than taking the rest one by one.
  hash = Math.imul(hash ^ view.getInt32(end - 4, true), 0x9e37_79b1)
  return hash ^ (hash >>> 15)
}

/** Whether a range of bytes is this key. */
export function isKey(key: AttributeKey, bytes: Buffer, start: number, length: number): boolean {
  const wanted = key.bytes
  if (wanted.length !== length) return false
  for (let at = 0; at < length; at++) if (wanted[at] !== bytes[start + at]) return false
  return true
}

/**
 * A fixed set of keys, each known by its place in the list it was made from. Finding an attribute in it costs the same
 * whether it holds ten keys or ten thousand.
 */
export class AttributeKeySet {
  readonly keys: readonly AttributeKey[]
  // Open addressing: the place of a key plus one, 0 for an empty slot.
  readonly #slots: Int32Array
  readonly #mask: number
  // Which keys the walk in progress has met: a key is met when its number here is that walk's number.
  readonly #met: Float64Array
  #walk = 0

  constructor(names: Iterable<string>) {
    this.keys = [...new Set(names)].map(attributeKey)
    this.#met = new Float64Array(this.keys.length)
    let size = 8
    while (size < this.keys.length * 4) size *= 2
    this.#mask = size - 1
    this.#slots = new Int32Array(size)
    for (const [place, key] of this.keys.entries()) {
      let slot = key.hash & (size - 1)
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (size - 1)
      this.#slots[slot] = place + 1
    }
  }

  /** The place of the key with this hash and these bytes, or -1. */
  find(hash: number, bytes: Buffer, start: number, length: number): number {
    // Most attributes are in no set, so this much is kept small enough to be inlined.
    const slot = hash & this.#mask
    return this.#slots[slot] === 0 ? -1 : this.#probe(slot, hash, bytes, start, length)
  }

  #probe(first: number, hash: number, bytes: Buffer, start: number, length: number): number {
    const slots = this.#slots
    for (let slot = first; ; slot = (slot + 1) & this.#mask) {
      const place = (slots[slot] as number) - 1
      if (place < 0) return -1
      const key = this.keys[place] as AttributeKey
      if (key.hash === hash && isKey(key, bytes, start, length)) return place
    }
  }

  /** Starts a walk in which each key counts once. */
  startWalk(): void {
    this.#walk++
  }

  /** True the first time in a walk that this place is met. */
  isFirstMet(place: number): boolean {
    if (this.#met[place] === this.#walk) return false
    this.#met[place] = this.#walk
    return true
  }
}
