import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ContentCoding, takesCoding } from './accept-encoding.ts'

/** Smaller files are sent as they are: a header would cost more than is saved. */
const COMPRESSED_BYTES_MIN = 1_024
/** Of 11: the last steps take ten times as long and save little, and a client is waiting for the first answer. */
const BROTLI_QUALITY = 9
const COMPRESSED_TYPES = /charset=utf-8$/
/** The best first. */
const CODINGS: readonly ContentCoding[] = ['br', 'gzip']

const compressors: Readonly<Record<ContentCoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
}

/** Bytes that are the same for every client. All answers share them, so that an unread answer costs no memory of its own. */
export class StaticFile {
  readonly contentType: string
  readonly bytes: Buffer
  /** Changes with the content. */
  readonly hash: string
  /** Whether its address changes with its content, so that clients can keep it for ever. */
  readonly isImmutable: boolean
  readonly #compressed = new Map<ContentCoding, Promise<Buffer>>()

  constructor(contentType: string, bytes: Buffer, { isImmutable = false } = {}) {
    this.contentType = contentType
    this.bytes = bytes
    this.hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
    this.isImmutable = isImmutable
  }

  get isCompressible(): boolean {
    return this.bytes.length >= COMPRESSED_BYTES_MIN && COMPRESSED_TYPES.test(this.contentType)
  }

  /** The bytes in that encoding; compressed once, when first asked for. */
  compressed(coding: ContentCoding): Promise<Buffer> {
    const known = this.#compressed.get(coding)
    if (known) return known
    const made = compressors[coding](this.bytes)
    this.#compressed.set(coding, made)
    return made
  }
}

/** Sends a file in the encoding the client likes best, or 304 when the client has it. */
export async function sendStaticFile(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  file: StaticFile,
): Promise<FastifyReply> {
  const coding = file.isCompressible
    ? CODINGS.find((each) => takesCoding(headers['accept-encoding'], each))
    : undefined
  const etag = `"${file.hash}${coding === undefined ? '' : `-${coding}`}"`
  reply.header('etag', etag)
  reply.header('cache-control', file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache')
  if (file.isCompressible) reply.header('vary', 'accept-encoding')
  if (isKnown(headers['if-none-match'], etag)) return reply.code(304).send()
  if (coding !== undefined) reply.header('content-encoding', coding)
  return reply.type(file.contentType).send(coding ? await file.compressed(coding) : file.bytes)
}

/** Compared weakly, as If-None-Match wants it: a proxy that changes the encoding marks a tag as weak. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
