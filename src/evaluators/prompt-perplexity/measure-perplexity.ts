import { readFileSync } from 'node:fs'
import { type ByteModel, readByteModel, STEP_BITS } from './byte-model.ts'
import { RepeatFinder } from './repeat-finder.ts'

/** The stretch that is measured, in bytes: about ten words of English. */
const WINDOW_BYTES = 64
/** A shorter text counts as if it had so many bytes: a few letters cannot be surprising, whatever they are. */
const COUNTED_BYTES_MIN = 32
/**
 * The bytes that one perplexity is about. For a byte alone, English would lie between 3 and 9; with this number it lies
 * between 10 and 200, where the perplexities per token of small neural models lie. Calibrated once; a change of it changes
 * every score, as a new model does.
 */
const BYTES_PER_PERPLEXITY = 2.4
/** A text is read as if it began a paragraph. */
const BEFORE_TEXT = new TextEncoder().encode('\n\n')

let model: ByteModel | undefined

/**
 * The perplexity of the least predictable stretch of a text, or of all of it when it is short; 1 for an empty text.
 * Not of the whole text: fifty odd characters behind a page of prose would disappear in the average.
 */
export function measurePerplexity(text: string): number {
  const bytes = new TextEncoder().encode(text)
  const bits = worstWindowBits(bytes, loadModel().costsOf(bytes, BEFORE_TEXT))
  return 2 ** (bits * BYTES_PER_PERPLEXITY)
}

/** Bits per byte in the stretch of WINDOW_BYTES that has most of them. */
function worstWindowBits(bytes: Uint8Array, steps: Uint16Array): number {
  const repeats = new RepeatFinder(bytes)
  const recent = new Float64Array(WINDOW_BYTES)
  let sum = 0
  let worst = 0
  for (let at = 0; at < bytes.length; at++) {
    const slot = at % WINDOW_BYTES
    const bits = repeats.cost(at, (steps[at] as number) * STEP_BITS)
    sum += bits - (recent[slot] as number)
    recent[slot] = bits
    if (at >= WINDOW_BYTES - 1 && sum > worst) worst = sum
  }
  if (bytes.length >= WINDOW_BYTES) return worst / WINDOW_BYTES
  return sum / Math.max(bytes.length, COUNTED_BYTES_MIN)
}

/** Read when the first prompt comes: who never measures one pays nothing. The path is the same from src and from dist. */
function loadModel(): ByteModel {
  model ??= readByteModel(
    readFileSync(new URL('../../../models/prompt-perplexity/byte-model.bin.br', import.meta.url)),
  )
  return model
}
