// Runs the layers of an encoder in WebAssembly (training/encoder/kernel/encoder.c). Lengths below are those of the model files.

import { type WebAssemblyMemory, type WebAssemblyModule, webAssembly } from './web-assembly.ts'

/** Numbers that describe one token. */
export const WIDTH = 384
const INNER = 1536
/** Tokens of the longest window, its two markers included. */
export const WINDOW_TOKENS = 256
const FLOAT = 4
// Inputs and outputs of the four matrix products of a layer, in the order of the file.
const PRODUCTS = [
  [WIDTH, 3 * WIDTH],
  [WIDTH, WIDTH],
  [WIDTH, INNER],
  [INNER, WIDTH],
] as const
const NORMS_OF_LAYER = 4
const PAGE_BYTES = 65_536

/**
 * The parts that all encoders share: the compiled code, and the embeddings of each token and each place in a window.
 */
export interface EncoderParts {
  readonly code: WebAssemblyModule
  /** A row of WIDTH small numbers for each token. */
  readonly words: Int8Array
  readonly wordScales: Float32Array
  readonly positions: Float32Array
}

interface Kernel {
  readonly memory: WebAssemblyMemory
  readonly __heap_base: { readonly value: number }
  normalize(x: number, tokens: number, weight: number, bias: number): void
  run_layer(layer: number, x: number, lengths: number, count: number, ...scratch: number[]): void
}

/** One encoder: turns tokens into WIDTH numbers each. One call at a time; the answer is valid until the next call. */
export class Encoder {
  readonly #parts: EncoderParts
  readonly #kernel: Kernel
  readonly #layers: readonly number[]
  readonly #norm: number
  readonly #x: number
  readonly #lengths: number
  readonly #scratch: readonly number[]

  /** `weights` is what training/encoder/export.py wrote for `layerCount` layers; what follows them in the file is left alone. */
  constructor(parts: EncoderParts, weights: Uint8Array, layerCount: number) {
    this.#parts = parts
    this.#kernel = new webAssembly.Instance(parts.code).exports as Kernel
    const structs = layerCount * LAYER_STRUCT_BYTES
    const room = new Room(
      this.#kernel,
      structs + layerCount * LAYER_BYTES + 2 * WIDTH * FLOAT + SCRATCH_BYTES,
    )
    const table = room.take(structs)
    this.#norm = room.take(2 * WIDTH * FLOAT)
    const first = room.take(layerCount * LAYER_BYTES)
    const memory = new Uint8Array(this.#kernel.memory.buffer)
    memory.set(weights.subarray(0, 2 * WIDTH * FLOAT), this.#norm)
    memory.set(weights.subarray(2 * WIDTH * FLOAT, weightBytes(layerCount)), first)
    this.#layers = Array.from({ length: layerCount }, (_, at) => {
      const struct = table + at * LAYER_STRUCT_BYTES
      writeLayer(new Uint32Array(this.#kernel.memory.buffer, struct), first + at * LAYER_BYTES)
      return struct
    })
    this.#x = room.take(WINDOW_TOKENS * WIDTH * FLOAT)
    this.#lengths = room.take(LENGTHS_BYTES)
    this.#scratch = SCRATCH.map((bytes) => room.take(bytes))
  }

  /**
   * The numbers of every token of each window, WIDTH after WIDTH. Windows do not see each other; read together, they
   * have at most WINDOW_TOKENS tokens.
   */
  encode(windows: readonly (readonly number[])[]): Float32Array[] {
    const tokens = windows.reduce((sum, window) => sum + window.length, 0)
    if (tokens > WINDOW_TOKENS) throw new Error(`${tokens} tokens at once`)
    const { buffer } = this.#kernel.memory
    const x = new Float32Array(buffer, this.#x, tokens * WIDTH)
    const lengths = new Int32Array(buffer, this.#lengths, windows.length)
    let at = 0
    const answers = windows.map((window, number) => {
      lengths[number] = window.length
      const rows = x.subarray(at, at + window.length * WIDTH)
      this.#embed(window, rows)
      at += rows.length
      return rows
    })
    this.#kernel.normalize(this.#x, tokens, this.#norm, this.#norm + WIDTH * FLOAT)
    for (const layer of this.#layers) {
      this.#kernel.run_layer(layer, this.#x, this.#lengths, windows.length, ...this.#scratch)
    }
    return answers
  }

  #embed(tokens: readonly number[], x: Float32Array): void {
    const { words, wordScales, positions } = this.#parts
    for (const [at, token] of tokens.entries()) {
      const scale = wordScales[token]
      if (scale === undefined) throw new Error(`no token ${token}`)
      const from = token * WIDTH
      const to = at * WIDTH
      for (let i = 0; i < WIDTH; i++) x[to + i] = (words[from + i] ?? 0) * scale + (positions[to + i] ?? 0)
    }
  }
}

/** The bytes that an encoder takes at the start of its file. */
export function weightBytes(layerCount: number): number {
  return 2 * WIDTH * FLOAT + layerCount * LAYER_BYTES
}

const LAYER_BYTES =
  PRODUCTS.reduce((sum, [from, to]) => sum + from * to + 3 * to * FLOAT, 0) + NORMS_OF_LAYER * WIDTH * FLOAT
const LAYER_STRUCT_BYTES = (PRODUCTS.length * 4 + NORMS_OF_LAYER) * FLOAT
// Wide and narrow rows, rounded rows, their scales, the keys of a head, the scores of a token.
const SCRATCH = [
  WINDOW_TOKENS * INNER * FLOAT,
  WINDOW_TOKENS * WIDTH * FLOAT,
  WINDOW_TOKENS * INNER,
  WINDOW_TOKENS * FLOAT,
  32 * WINDOW_TOKENS * FLOAT,
  WINDOW_TOKENS * FLOAT,
]
// No window is shorter than its two markers and one token; rounded up.
const LENGTHS_BYTES = WINDOW_TOKENS * FLOAT
const SCRATCH_BYTES = SCRATCH.reduce(
  (sum, bytes) => sum + bytes,
  WINDOW_TOKENS * WIDTH * FLOAT + LENGTHS_BYTES,
)

/** Writes where each part of a layer lies: weights, scales, offsets and bias of each product, then the norms. */
function writeLayer(struct: Uint32Array, start: number): void {
  let slot = 0
  let at = start
  for (const [from, to] of PRODUCTS) {
    for (const bytes of [from * to, to * FLOAT, to * FLOAT, to * FLOAT]) {
      struct[slot++] = at
      at += bytes
    }
  }
  for (let norm = 0; norm < NORMS_OF_LAYER; norm++, at += WIDTH * FLOAT) struct[slot++] = at
}

/** Memory of a kernel, given out once and never given back. */
class Room {
  #at: number

  constructor(kernel: Kernel, bytes: number) {
    this.#at = align(kernel.__heap_base.value)
    const missing = this.#at + bytes + 1024 - kernel.memory.buffer.byteLength
    if (missing > 0) kernel.memory.grow(Math.ceil(missing / PAGE_BYTES))
  }

  take(bytes: number): number {
    const at = this.#at
    this.#at = align(at + bytes)
    return at
  }
}

function align(bytes: number): number {
  return Math.ceil(bytes / 16) * 16
}
