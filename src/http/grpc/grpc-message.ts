import type { ServerHttp2Stream } from 'node:http2'
import { invalidInput, PublicError } from '../../lib/public-error.ts'
import type { BodyShare } from '../body-budget.ts'
import { RPC_CODES } from '../otlp/otlp-answers.ts'
import { decodeBody } from '../request-body.ts'
import { GrpcError } from './grpc-error.ts'

/** The compressions of messages that are understood, as they stand in `grpc-accept-encoding`. */
export const ACCEPTED_ENCODINGS = ['identity', 'gzip', 'deflate'] as const

/** One byte that tells whether the message is compressed, then its length in four. */
const PREFIX_BYTES = 5

/** The encoding that a call says its message has; an unknown one is refused before the message is read. */
export function messageEncoding(header: unknown): string {
  const encoding = typeof header === 'string' ? header.trim().toLowerCase() : 'identity'
  if (ACCEPTED_ENCODINGS.some((known) => known === encoding)) return encoding
  throw new GrpcError(
    RPC_CODES.unimplemented,
    `grpc-encoding must be one of ${ACCEPTED_ENCODINGS.join(', ')}`,
  )
}

/**
 * The one message of a unary call, decompressed; never more than `bytesMax`, neither on the wire nor after that. Its announced
 * length is taken from the share before the message is read.
 */
export async function readMessage(
  stream: ServerHttp2Stream,
  encoding: string,
  bytesMax: number,
  share: Pick<BodyShare, 'take'>,
): Promise<Buffer> {
  const framed = await readAll(stream, bytesMax, share)
  const isCompressed = framed[0] === 1
  const message = framed.subarray(PREFIX_BYTES)
  if (!isCompressed) return message
  if (encoding === 'identity')
    throw new GrpcError(RPC_CODES.internal, 'the message is compressed, but grpc-encoding does not say how')
  return decodeBody(message, encoding, bytesMax, (bytes) => share.take(bytes))
}

/** A message with its prefix, not compressed. */
export function frameMessage(message: Buffer): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

/** Reads up to the end of the stream, and no further than what cannot be right any more. */
function readAll(
  stream: ServerHttp2Stream,
  bytesMax: number,
  share: Pick<BodyShare, 'take'>,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    const prefix = Buffer.alloc(PREFIX_BYTES)
    let length = 0
    const onData = (part: Buffer) => {
      const isAnnounced = length < PREFIX_BYTES && length + part.length >= PREFIX_BYTES
      if (length < PREFIX_BYTES) part.copy(prefix, length)
      length += part.length
      parts.push(part)
      const fault = length < PREFIX_BYTES ? undefined : faultOf(prefix, length, bytesMax)
      const refusal = fault ?? (isAnnounced ? refusalOf(share, prefix) : undefined)
      if (refusal !== undefined) finish(() => reject(refusal))
    }
    const onEnd = () => {
      const isWhole = length >= PREFIX_BYTES && length === PREFIX_BYTES + prefix.readUInt32BE(1)
      finish(() => (isWhole ? resolve(Buffer.concat(parts)) : reject(invalidInput('the message is cut off'))))
    }
    const onClose = () => finish(() => reject(new GrpcError(RPC_CODES.cancelled, 'the caller has gone')))
    const finish = (settle: () => void) => {
      stream.off('data', onData).off('end', onEnd).off('close', onClose)
      settle()
    }
    stream.on('data', onData).once('end', onEnd).once('close', onClose)
    // Events that fired while the caller was authenticated do not fire again.
    if (stream.destroyed) onClose()
    else if (stream.readableEnded) onEnd()
  })
}

function refusalOf(share: Pick<BodyShare, 'take'>, prefix: Buffer): unknown {
  try {
    share.take(prefix.readUInt32BE(1))
    return undefined
  } catch (error) {
    return error
  }
}

function faultOf(prefix: Buffer, received: number, bytesMax: number): Error | undefined {
  const announced = prefix.readUInt32BE(1)
  if ((prefix[0] ?? 0) > 1) return invalidInput('the message does not begin with 0 or 1')
  if (announced > bytesMax) return new PublicError('too_large', 'the message is too large')
  if (received > PREFIX_BYTES + announced) return invalidInput('there is more than one message')
  return undefined
}
