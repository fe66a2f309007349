import type { Readable } from 'node:stream'
import { invalidInput, PublicError } from '../lib/public-error.ts'
import { releaseBytes } from '../lib/release-bytes.ts'

/**
 * Reads a body into one piece of memory, which is the caller's alone; never more than `bytesMax` bytes. Pieces are given
 * back as soon as they are copied: a body of a megabyte comes in a dozen of them, and each would wait for a collection.
 * `reserve` is called for each piece of a body whose length was not announced, and may throw.
 */
export function readBytes(
  body: Readable,
  contentLength: string | undefined,
  bytesMax: number,
  reserve?: (bytes: number) => void,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const finish = () => {
      body.off('data', onData).off('end', onEnd).off('error', onError)
    }
    // Only stops listening: to end the stream would end the connection, and with it the answer.
    const refuse = (error: unknown = new PublicError('too_large', 'request body is too large')) => {
      finish()
      reject(error)
    }
    const onData = (chunk: Buffer) => {
      length += chunk.length
      if (length > bytesMax) return refuse()
      try {
        if (contentLength === undefined) reserve?.(chunk.length)
        chunks.push(chunk)
      } catch (error) {
        refuse(error)
      }
    }
    const onEnd = () => {
      finish()
      const bytes = Buffer.allocUnsafeSlow(length)
      let at = 0
      for (const chunk of chunks) {
        bytes.set(chunk, at)
        at += chunk.length
        if (chunk.length === chunk.buffer.byteLength) releaseBytes(chunk)
      }
      resolve(bytes)
    }
    const onError = () => {
      finish()
      reject(invalidInput('the request is malformed'))
    }
    if (Number(contentLength) > bytesMax) refuse()
    else body.on('data', onData).on('end', onEnd).on('error', onError)
  })
}
