import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { Encoder, type EncoderParts, WIDTH, WINDOW_TOKENS, weightBytes } from '../../lib/encoder/encoder.ts'
import { webAssembly } from '../../lib/encoder/web-assembly.ts'
import { WordPieces } from '../../lib/encoder/word-pieces.ts'
import { NgramModel } from './text-model-ngrams.ts'
import {
  groupsOf,
  SMALL_WINDOW,
  sentencesOf,
  WHOLE_WINDOW,
  type WindowSize,
  windowsOf,
} from './text-windows.ts'

/** The heads of the classifier. */
export type HeadName = 'toxicity' | 'sexism' | 'injection' | 'tone'

/** How a text is cut for a head: an order hidden in a document stands out against it, an insult is one by itself. */
const CUT: Readonly<Record<HeadName, { readonly size: WindowSize; readonly bySentence: boolean }>> = {
  toxicity: { size: SMALL_WINDOW, bySentence: true },
  sexism: { size: SMALL_WINDOW, bySentence: true },
  injection: { size: WHOLE_WINDOW, bySentence: false },
  tone: { size: SMALL_WINDOW, bySentence: false },
}

/** The parts of the classifier that answer a question; an attack is one order in place of others, or a part to play without rules. */
const HEADS_OF: Readonly<Record<HeadName, readonly string[]>> = {
  toxicity: ['toxicity'],
  sexism: ['sexism'],
  injection: ['override', 'jailbreak'],
  tone: ['tone'],
}

const manifest = z.object({
  words: z.int(),
  layers: z.int(),
  hidden: z.int(),
  heads: z.array(
    z.object({ name: z.string(), outputs: z.int(), bias: z.number(), scale: z.number().default(1) }),
  ),
})

interface Head {
  readonly outputs: number
  readonly bias: number
  /** The factor that calibrates an answer, so that its confidence matches its accuracy. */
  readonly scale: number
  /** Weights of: looking at tokens, the hidden layer and its bias, the decision and its bias. */
  readonly look: Float32Array
  readonly hidden: Float32Array
  readonly hiddenBias: Float32Array
  readonly decide: Float32Array
  readonly decideBias: Float32Array
}

let parts: (EncoderParts & { pieces: WordPieces; manifest: z.output<typeof manifest> }) | undefined
let classifier: { encoder: Encoder; heads: ReadonlyMap<string, Head> } | undefined
let ngrams: NgramModel | undefined
let sentences: Encoder | undefined

/**
 * The raw answers to a question, one list per window of the text: one number for each answer that the question has, or for
 * each kind of attack. No window when the text holds nothing to read.
 */
export function* askHead(text: string, name: HeadName): Generator<{ tokens: number; logits: number[] }> {
  const windows = readWindows(text, CUT[name].size, CUT[name].bySentence)
  if (windows.length === 0) return
  const { encoder, heads } = loadClassifier()
  const asked = HEADS_OF[name].map((part) => {
    const head = heads.get(part)
    if (!head) throw new Error(`the model has no head ${part}`)
    return head
  })
  for (const group of groupsOf(windows)) {
    for (const [at, rows] of encoder.encode(group).entries()) {
      const spoken = name === 'toxicity' ? logitOfWords(group[at] ?? []) : 0
      const logits = asked.flatMap((head) => decide(head, rows).map((logit) => (logit + spoken) * head.scale))
      yield { tokens: rows.length / WIDTH, logits }
    }
  }
}

/** The evidence of a window's words by themselves, its two markers left out. */
function logitOfWords(window: readonly number[]): number {
  ngrams ??= new NgramModel(readModel('ngrams.bin'))
  return ngrams.logitOf(loadParts().pieces.join(window.slice(1, -1)))
}

/** The direction of a text's meaning, of length 1; undefined when the text holds nothing to read. */
export function embedText(text: string): Float32Array | undefined {
  const windows = readWindows(text, WHOLE_WINDOW, false)
  if (windows.length === 0) return undefined
  sentences ??= new Encoder(loadParts(), readModel('sentence.bin'), loadParts().manifest.layers)
  const mean = new Float32Array(WIDTH)
  for (const group of groupsOf(windows)) {
    for (const rows of sentences.encode(group)) {
      for (let at = 0; at < rows.length; at++) mean[at % WIDTH] = (mean[at % WIDTH] ?? 0) + (rows[at] ?? 0)
    }
  }
  const length = Math.sqrt(mean.reduce((sum, value) => sum + value * value, 0))
  return mean.map((value) => value / length)
}

function readWindows(text: string, size: WindowSize, bySentence: boolean): number[][] {
  const { pieces } = loadParts()
  const number = (piece: string) => pieces.numberOf(piece)
  const tokens = pieces.split(text)
  const parts = bySentence ? sentencesOf(tokens, new Set(['.', '!', '?'].map(number))) : [tokens]
  return parts.flatMap((part) => windowsOf(part, [number('[CLS]'), number('[SEP]')], size))
}

/** Loads what both encoders need, once in a thread and only when something is asked. */
function loadParts(): NonNullable<typeof parts> {
  if (parts) return parts
  const described = manifest.parse(JSON.parse(readModel('manifest.json').toString()))
  const words = readModel('words.bin')
  const floats = floatsOf(words, described.words * WIDTH)
  parts = {
    code: new webAssembly.Module(readModel('encoder.wasm')),
    words: new Int8Array(words.buffer, words.byteOffset, described.words * WIDTH),
    wordScales: floats.subarray(0, described.words),
    positions: floats.subarray(described.words, described.words + WINDOW_TOKENS * WIDTH),
    pieces: new WordPieces(readModel('vocab.txt').toString()),
    manifest: described,
  }
  return parts
}

function loadClassifier(): NonNullable<typeof classifier> {
  if (classifier) return classifier
  const { manifest: described } = loadParts()
  const file = readModel('classifier.bin')
  const encoder = new Encoder(loadParts(), file, described.layers)
  const floats = floatsOf(file, weightBytes(described.layers))
  let at = 0
  const take = (count: number) => {
    at += count
    return floats.subarray(at - count, at)
  }
  const heads = new Map<string, Head>()
  for (const { name, outputs, bias, scale } of described.heads) {
    heads.set(name, {
      outputs,
      bias,
      scale,
      look: take(WIDTH),
      hidden: take(described.hidden * WIDTH),
      hiddenBias: take(described.hidden),
      decide: take(outputs * described.hidden),
      decideBias: take(outputs),
    })
  }
  classifier = { encoder, heads }
  return classifier
}

/** Looks at the tokens with the head's own attention, then decides with one hidden layer. */
function decide(head: Head, rows: Float32Array): number[] {
  const looks = Array.from({ length: rows.length / WIDTH }, (_, at) =>
    dot(head.look, 0, rows, at * WIDTH, WIDTH),
  )
  const most = Math.max(...looks)
  const shares = looks.map((look) => Math.exp(look - most))
  const total = shares.reduce((sum, share) => sum + share, 0)
  const pooled = new Float32Array(WIDTH)
  for (let at = 0; at < rows.length; at++) {
    const share = (shares[Math.floor(at / WIDTH)] ?? 0) / total
    pooled[at % WIDTH] = (pooled[at % WIDTH] ?? 0) + share * (rows[at] ?? 0)
  }
  const hidden = head.hiddenBias.map((bias, at) =>
    Math.tanh(dot(head.hidden, at * WIDTH, pooled, 0, WIDTH) + bias),
  )
  return Array.from(
    head.decideBias,
    (bias, at) => dot(head.decide, at * hidden.length, hidden, 0, hidden.length) + bias + head.bias,
  )
}

function dot(
  left: Float32Array,
  leftAt: number,
  right: Float32Array,
  rightAt: number,
  count: number,
): number {
  let sum = 0
  for (let i = 0; i < count; i++) sum += (left[leftAt + i] ?? 0) * (right[rightAt + i] ?? 0)
  return sum
}

/** The files lie beside src and beside dist, at the same depth. */
function readModel(name: string): Buffer {
  return readFileSync(new URL(`../../../models/encoder/${name}`, import.meta.url))
}

/** The numbers behind the first `start` bytes; copied when they do not lie where a typed array can begin. */
function floatsOf(file: Buffer, start: number): Float32Array {
  const bytes = Uint8Array.from(file.subarray(start))
  return new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4))
}
