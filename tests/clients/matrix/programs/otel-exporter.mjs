// OpenTelemetry for JavaScript with spans made by hand, as protobuf or JSON over HTTP, or over gRPC.

import { Metadata } from '@grpc/grpc-js'
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtoExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { apiKey, exchanges, otlpUrl } from './rehearsal.mjs'

const url = `${otlpUrl}/v1/traces`
const headers = { authorization: `Bearer ${apiKey}` }
const metadata = new Metadata()
metadata.set('authorization', headers.authorization)
const create = {
  proto: () => new ProtoExporter({ url, headers }),
  json: () => new JsonExporter({ url, headers, compression: 'gzip' }),
  grpc: () => new GrpcExporter({ url: process.env['OTLP_GRPC_URL'], metadata, compression: 'gzip' }),
}
const exporter = create[process.env['PROTOCOL']]()
const provider = new TracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'matrix' }),
  spanProcessors: [new BatchSpanProcessor({ exporter })],
})
const tracer = provider.getTracer('guide', '1.0')
const message = (role, content) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }])
for (const { prompt, completion } of exchanges) {
  const span = tracer.startSpan('chat gpt-4o')
  span.setAttribute('gen_ai.request.model', 'gpt-4o')
  span.setAttribute('gen_ai.input.messages', message('user', prompt))
  span.setAttribute('gen_ai.output.messages', message('assistant', completion))
  span.end()
}
await provider.shutdown()
