import type { Client } from './client.ts'
import { CONVERSATION } from './conversation.ts'
import { CHATS } from './selector-rules.ts'

const { exchanges } = CONVERSATION
const PROTOCOL_NAMES = { proto: 'protobuf over HTTP', json: 'JSON over HTTP', grpc: 'gRPC' }

/** The exporters of OpenTelemetry, with spans made by hand. */
export const EXPORTER_CLIENTS: readonly Client[] = [
  ...(['proto', 'json', 'grpc'] as const).map((protocol) => ({
    id: `otel-js-${protocol}`,
    name: `OpenTelemetry for JavaScript, ${PROTOCOL_NAMES[protocol]}`,
    environment: 'otel-js',
    program: 'otel-exporter.mjs',
    packages: [`@opentelemetry/exporter-trace-otlp-${protocol === 'json' ? 'http' : protocol}`],
    env: { PROTOCOL: protocol },
    selector: CHATS,
    calls: exchanges,
  })),
  ...(['proto', 'grpc'] as const).map((protocol) => ({
    id: `otel-python-${protocol}`,
    name: `OpenTelemetry for Python, ${PROTOCOL_NAMES[protocol]}`,
    environment: 'python',
    program: 'otel_exporter.py',
    packages: [`opentelemetry-exporter-otlp-proto-${protocol === 'proto' ? 'http' : 'grpc'}`],
    env: { PROTOCOL: protocol },
    selector: CHATS,
    calls: exchanges,
  })),
  ...(['proto', 'grpc'] as const).map((protocol) => ({
    id: `otel-java-${protocol}`,
    name: `OpenTelemetry for Java, ${PROTOCOL_NAMES[protocol]}`,
    environment: 'otel-java',
    program: 'OtelExporter.java',
    packages: ['opentelemetry-exporter-otlp'],
    env: {
      PROTOCOL: protocol,
      ...Object.fromEntries(
        exchanges.flatMap(({ prompt, completion }, at) => [
          [`PROMPT_${at}`, prompt],
          [`COMPLETION_${at}`, completion],
        ]),
      ),
    },
    selector: CHATS,
    calls: exchanges,
  })),
  ...(['proto', 'grpc'] as const).map((protocol) => ({
    id: `otel-collector-${protocol}`,
    name: `OpenTelemetry Collector, ${PROTOCOL_NAMES[protocol]}, with refusals`,
    environment: 'otel-collector',
    program: 'collector.mjs',
    packages: [
      `go.opentelemetry.io/collector/exporter/${protocol === 'grpc' ? 'otlpexporter' : 'otlphttpexporter'}`,
    ],
    env: { PROTOCOL: protocol },
    selector: CHATS,
    calls: exchanges,
    refusals: {
      isFirstRefused: true,
      // Ten spans may come at once.
      settings: { ASSAY_LIMIT_SPANS_PER_SECOND: '1' },
      statuses: protocol === 'grpc' ? [14, 8] : [503, 429],
    },
  })),
]
