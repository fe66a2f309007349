// node --max-old-space-size=8000 training/prompt-perplexity/train-model.ts: makes models/prompt-perplexity/byte-model.bin.br again, the same to the byte.
// Needs a network, tar, unzip and the labelled data beside the checkout; takes about a minute and 3 GB of memory.

import { statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import {
  type ByteModelColumns,
  packColumns,
  readByteModel,
  STEP_BITS,
} from '../../src/evaluators/prompt-perplexity/byte-model.ts'
import { ORDER, type SmoothedGrams, smoothedGrams } from './byte-grams.ts'
import { collectText } from './collect-text.ts'
import type { Source } from './source.ts'

const MODEL_FILE = path.resolve(import.meta.dirname, '../../models/prompt-perplexity/byte-model.bin.br')
/** The least count of a gram of 1, 2, ... bytes. */
const LEAST_COUNTS = [0, 1, 1, 2, 2, 3, 4]
/** One paragraph of so many is not trained on; the figures below are of these. */
const HELD_OUT_OF = 40

const sources = await collectText()
const text = trainingText(sources)
const columns = toColumns(smoothedGrams(text, LEAST_COUNTS))
writeFileSync(
  MODEL_FILE,
  brotliCompressSync(packColumns(columns), {
    params: {
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: columns.bytes.length * 4,
    },
  }),
)
console.log(`${text.length} bytes of text, ${columns.bytes.length} grams, ${statSync(MODEL_FILE).size} bytes`)
printHeldOut(sources)

/** All paragraphs with an empty line between them, in a fixed order; what counts twice is there twice. */
function trainingText(all: readonly Source[]): Uint8Array {
  const parts = all.flatMap(({ weight, paragraphs }) => {
    const trained = paragraphs.filter((_, at) => at % HELD_OUT_OF !== 0)
    return Array.from({ length: weight }, () => `\n\n${trained.join('\n\n')}\n\n`)
  })
  return Buffer.from(parts.join(''))
}

/** The grams as a trie, level by level; see ByteModel. */
function toColumns({ costs, backoffs }: SmoothedGrams): ByteModelColumns {
  const levels = Array.from({ length: ORDER }, (_, at) =>
    [...(costs[at + 1]?.keys() ?? [])].sort((a, b) => a - b),
  )
  const nodes = 1 + levels.reduce((sum, level) => sum + level.length, 0)
  const columns = {
    bytes: new Uint8Array(nodes),
    costs: new Uint8Array(nodes),
    childCounts: new Uint8Array(nodes),
    leaving: new Uint8Array(nodes),
  }
  let node = 0
  for (const [length, level] of [[0], ...levels].entries()) {
    const children = childCounts(levels[length] ?? [])
    for (const gram of level) {
      columns.bytes[node] = gram % 256
      columns.costs[node] = length === 0 ? 0 : asSteps(costs[length]?.get(gram))
      const count = children.get(gram) ?? 0
      if (count > 255) throw new Error('a byte too many')
      columns.childCounts[node] = count
      // A gram without children is left at once, whatever follows.
      columns.leaving[node] = count === 0 ? 0 : asSteps(backoffs[length]?.get(gram))
      node++
    }
  }
  return columns
}

function childCounts(level: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const gram of level) {
    const parent = Math.floor(gram / 256)
    counts.set(parent, (counts.get(parent) ?? 0) + 1)
  }
  return counts
}

function asSteps(bits: number | undefined): number {
  if (bits === undefined) throw new Error('a gram without a cost')
  return Math.min(255, Math.max(0, Math.round(bits / STEP_BITS)))
}

function printHeldOut(all: readonly Source[]): void {
  const model = readByteModel(
    brotliCompressSync(packColumns(columns), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  )
  for (const { name, paragraphs } of all) {
    const rest = Buffer.from(paragraphs.filter((_, at) => at % HELD_OUT_OF === 0).join('\n\n'))
    const bits = model.costsOf(rest, Buffer.from('\n\n')).reduce((sum, cost) => sum + cost * STEP_BITS, 0)
    console.log(`${name}: ${(bits / rest.length).toFixed(3)} bits per byte on ${rest.length} held-out bytes`)
  }
}
