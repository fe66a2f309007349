import { WireWriter } from '../../lib/otlp/wire-writer.ts'
import type { GrpcStatus } from './grpc-error.ts'

const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo'

/**
 * When to try again, in the two places where exporters look for it: the details of the status, as OTLP says, and a trailer
 * of its own, which the exporter for Python reads.
 */
export function retryHeaders({ code, message }: GrpcStatus, retryAfterMs: number): Record<string, string> {
  const retryInfo = encodeRetryInfo(retryAfterMs)
  return {
    'grpc-status-details-bin': toHeader(encodeStatus(code, message, retryInfo)),
    'google.rpc.retryinfo-bin': toHeader(retryInfo),
  }
}

/** A google.rpc.RetryInfo: field 1 is a google.protobuf.Duration. Rounded up to whole milliseconds. */
function encodeRetryInfo(retryAfterMs: number): Buffer {
  const ms = Math.ceil(retryAfterMs)
  const writer = new WireWriter()
  writer.message(1, () => {
    writer.varint(1, Math.floor(ms / 1_000))
    writer.varint(2, (ms % 1_000) * 1_000_000)
  })
  return writer.finish()
}

/** A google.rpc.Status whose only detail is a google.protobuf.Any with that RetryInfo. */
function encodeStatus(code: number, message: string, retryInfo: Buffer): Buffer {
  const writer = new WireWriter()
  writer.varint(1, code)
  writer.string(2, message)
  writer.message(3, () => {
    writer.string(1, RETRY_INFO)
    writer.bytes(2, retryInfo)
  })
  return writer.finish()
}

/** Binary metadata is base64 without padding. */
function toHeader(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
