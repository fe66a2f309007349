import { SPAN, TRACE_REQUEST } from './json-shapes.ts'
import { jsonToProtobuf } from './json-to-protobuf.ts'
import { scanTraces, type TraceBatch } from './scan-traces.ts'

/**
 * An ExportTraceServiceRequest in JSON. It is turned into protobuf and scanned like any other, so that there is one
 * reader, one form in storage and no difference between the two encodings.
 */
export function scanTracesJson(body: Uint8Array): TraceBatch {
  const { bytes, faults } = jsonToProtobuf(body, TRACE_REQUEST, SPAN)
  return scanTraces(bytes, faults)
}
