import { scanTraces, type TraceBatch } from './scan-traces.ts'
import { scanTracesJson } from './scan-traces-json.ts'

/** The encodings of an OTLP request. */
export type OtlpEncoding = 'protobuf' | 'json'

/** The spans of a request in either encoding. */
export function scanRequest(body: Uint8Array, encoding: OtlpEncoding): TraceBatch {
  return encoding === 'json' ? scanTracesJson(body) : scanTraces(body)
}
