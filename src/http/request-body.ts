import type { Transform } from 'node:stream'
import zlib from 'node:zlib'
import { invalidInput, PublicError } from '../lib/public-error.ts'

/** Bytes that a decompressor hands over at a time. */
const CHUNK_BYTES = 65_536

const DECODERS = new Map<string, (options: { chunkSize: number }) => Transform>([
  ['gzip', zlib.createGunzip],
  ['x-gzip', zlib.createGunzip],
  ['deflate', zlib.createInflate],
  ['br', zlib.createBrotliDecompress],
  ['zstd', zlib.createZstdDecompress],
])

/**
 * The bytes that the client meant, after undoing the content encoding; never more than `bytesMax` of them. `reserve` is called
 * for each piece as it is decompressed, and may throw.
 */
export async function decodeBody(
  body: Buffer,
  encoding: string | undefined,
  bytesMax: number,
  reserve: (bytes: number) => void = () => {},
): Promise<Buffer> {
  const name = encoding?.trim().toLowerCase()
  if (!name || name === 'identity') return body
  const createDecoder = DECODERS.get(name)
  if (!createDecoder)
    throw invalidInput(`Content-Encoding must be one of identity, ${[...DECODERS.keys()].join(', ')}`)
  try {
    return await inTurn(() => decode(body, createDecoder({ chunkSize: CHUNK_BYTES }), bytesMax, reserve))
  } catch (error) {
    if (error instanceof PublicError) throw error
    throw invalidInput(`body is not valid ${name}`)
  }
}

async function decode(
  body: Buffer,
  decoder: Transform,
  bytesMax: number,
  reserve: (bytes: number) => void,
): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  decoder.end(body)
  // Leaving the loop ends the decoder.
  for await (const piece of decoder as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > bytesMax) throw new PublicError('too_large', 'request body is too large')
    reserve(piece.length)
    pieces.push(piece)
  }
  return Buffer.concat(pieces, length)
}

/**
 * Bodies that are decompressed at the same time. A few kilobytes can become the largest body there is, so that a thousand
 * small requests at once would otherwise take all memory.
 */
const DECODINGS_MAX = 8
let decodings = 0
const waitingDecodings: (() => void)[] = []

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (decodings < DECODINGS_MAX) decodings++
  else await new Promise<void>((resolve) => waitingDecodings.push(resolve))
  try {
    return await work()
  } finally {
    const next = waitingDecodings.shift()
    if (next) next()
    else decodings--
  }
}

/**
 * Refuses a body that says it is not JSON. No content type at all is taken for JSON. Another one is a mistake that a
 * client wants to hear about: curl's -d, for one, says application/x-www-form-urlencoded unless told otherwise.
 */
export function requireJson(body: Buffer, contentType: string | undefined): void {
  if (body.length === 0 || contentType === undefined) return
  if (/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType)) return
  throw invalidInput('Content-Type must be application/json')
}
