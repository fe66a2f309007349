import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Metadata } from '@grpc/grpc-js'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtoExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import { FIRST_KEY } from '../support/call.ts'
import { startService } from '../support/service.ts'
import { readStoredSpans } from '../support/stored-spans.ts'

// The exporters that applications really use, as they come from their packages.
const service = await startService({}, { withGrpc: true })
const url = `${service.url}/v1/traces`
const grpcUrl = `http://${service.grpcAddress}`

const headers = (key: string) => ({ authorization: `Bearer ${key}` })
function metadata(key: string): Metadata {
  const given = new Metadata()
  given.set('authorization', `Bearer ${key}`)
  return given
}

const EXPORTERS: readonly [string, (key: string, compression: CompressionAlgorithm) => SpanExporter][] = [
  [
    'protobuf over HTTP',
    (key, compression) => new ProtoExporter({ url, headers: headers(key), compression }),
  ],
  ['JSON over HTTP', (key, compression) => new JsonExporter({ url, headers: headers(key), compression })],
  ['gRPC', (key, compression) => new GrpcExporter({ url: grpcUrl, metadata: metadata(key), compression })],
]

/** More than the SDK sends at once. */
const CHILDREN = 600

function record(exporter: SpanExporter) {
  const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] })
  after(() => provider.shutdown())
  const tracer = provider.getTracer('a-library', '1.2.3')
  const root = tracer.startSpan('root', { kind: SpanKind.CLIENT })
  root.setAttributes({ text: 'häßlich 👋', whole: 4096, half: 0.5, yes: true, list: ['a', 'b'] })
  root.addEvent('choice', { index: 0 })
  root.setStatus({ code: SpanStatusCode.ERROR, message: 'did not work' })
  const below = trace.setSpan(ROOT_CONTEXT, root)
  for (let at = 0; at < CHILDREN; at++) tracer.startSpan(`child ${at}`, { attributes: { at } }, below).end()
  root.end()
  return { provider, traceId: root.spanContext().traceId, rootId: root.spanContext().spanId }
}

describe('the exporter for', () => {
  for (const [name, create] of EXPORTERS) {
    for (const compression of [CompressionAlgorithm.NONE, CompressionAlgorithm.GZIP]) {
      test(`${name} with compression ${compression} delivers every span as it was recorded`, async () => {
        const exporter = create(FIRST_KEY, compression)
        const { provider, traceId, rootId } = record(exporter)
        await provider.forceFlush()
        // The provider does not wait for a full batch that it has sent off before.
        await exporter.forceFlush?.()
        const spans = (await readStoredSpans(service.store)).filter((span) => span.traceId === traceId)
        assert.equal(spans.length, CHILDREN + 1)
        const root = spans.find(({ spanId }) => spanId === rootId)
        assert.ok(root)
        assert.deepEqual(Object.fromEntries(root.attributes), {
          text: 'häßlich 👋',
          whole: 4096,
          half: 0.5,
          yes: true,
          list: ['a', 'b'],
        })
        assert.deepEqual(
          [root.name, root.kind, root.statusCode, root.statusMessage, root.parentSpanId],
          ['root', 3, 2, 'did not work', undefined],
        )
        assert.deepEqual([root.scopeName, root.scopeVersion], ['a-library', '1.2.3'])
        assert.deepEqual(
          root.events.map((event) => [event.name, Object.fromEntries(event.attributes)]),
          [['choice', { index: 0 }]],
        )
        assert.match(String(root.resource.get('service.name')), /^unknown_service/)
        assert.ok(root.startUnixNano > 0n && root.endUnixNano >= root.startUnixNano)
        for (const child of spans.filter(({ spanId }) => spanId !== rootId)) {
          assert.equal(child.parentSpanId, rootId)
          assert.equal(child.name, `child ${child.attributes.get('at')}`)
        }
      })
    }

    test(`${name} is told that its key is wrong, and does not try again`, async () => {
      const { provider, traceId } = record(create('none-of-the-keys-here', CompressionAlgorithm.NONE))
      await assert.rejects(provider.forceFlush())
      assert.ok((await readStoredSpans(service.store)).every((span) => span.traceId !== traceId))
    })
  }
})
