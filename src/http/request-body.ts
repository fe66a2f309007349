import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { invalidInput, PublicError } from '../domain/errors.ts'

type Decompress = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const DECODERS = new Map<string, Decompress>([
  ['gzip', promisify(zlib.gunzip)],
  ['x-gzip', promisify(zlib.gunzip)],
  ['deflate', promisify(zlib.inflate)],
  ['br', promisify(zlib.brotliDecompress)],
  ['zstd', promisify(zlib.zstdDecompress)],
])

/** The bytes that the client meant, after undoing the content encoding; never more than `bytesMax` of them. */
export async function decodeBody(
  body: Buffer,
  encoding: string | undefined,
  bytesMax: number,
): Promise<Buffer> {
  const name = encoding?.trim().toLowerCase()
  if (!name || name === 'identity') return body
  const decode = DECODERS.get(name)
  if (!decode)
    throw invalidInput(`Content-Encoding must be one of identity, ${[...DECODERS.keys()].join(', ')}`)
  try {
    return await inTurn(() => decode(body, { maxOutputLength: bytesMax }))
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new PublicError('too_large', 'request body is too large')
    }
    throw invalidInput(`body is not valid ${name}`)
  }
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
