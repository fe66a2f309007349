/** The address that a program sends its spans to. */
export interface SpanAddress {
  /** Where this service is reached, for example `http://127.0.0.1:8080`. */
  readonly origin: string
  /** The path that takes OTLP over HTTP. */
  readonly path: string
}

/** Stands where readers put their own key: the one of this tab is never written anywhere. */
export const KEY_PLACEHOLDER = 'YOUR_API_KEY'

/** One span of a call of a model, with the names that the conventions of OpenTelemetry have for it. */
export function openTelemetryJs({ origin, path }: SpanAddress): string {
  return `// npm install @opentelemetry/api @opentelemetry/sdk-node @opentelemetry/exporter-trace-otlp-proto
import { trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { NodeSDK } from '@opentelemetry/sdk-node'

const sdk = new NodeSDK({
  serviceName: 'my-app',
  traceExporter: new OTLPTraceExporter({
    url: '${origin}${path}',
    headers: { authorization: 'Bearer ${KEY_PLACEHOLDER}' },
  }),
})
sdk.start()

trace.getTracer('my-app').startActiveSpan('chat', (span) => {
  span.setAttributes({
    'gen_ai.system': 'openai',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.prompt.0.role': 'user',
    'gen_ai.prompt.0.content': 'What is the capital of Norway?',
    'gen_ai.completion.0.role': 'assistant',
    'gen_ai.completion.0.content': 'Oslo.',
  })
  span.end()
})
await sdk.shutdown() // sends what is left
`
}

export function openTelemetryPython({ origin, path }: SpanAddress): string {
  return `# pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

provider = TracerProvider(resource=Resource.create({"service.name": "my-app"}))
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(
    endpoint="${origin}${path}",
    headers={"authorization": "Bearer ${KEY_PLACEHOLDER}"},
)))
trace.set_tracer_provider(provider)

with trace.get_tracer("my-app").start_as_current_span("chat") as span:
    span.set_attributes({
        "gen_ai.system": "openai",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "What is the capital of Norway?",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "Oslo.",
    })
provider.shutdown()  # sends what is left
`
}

export function traceloopJs({ origin }: SpanAddress): string {
  return `// npm install @traceloop/node-server-sdk
// Before anything that calls a model is imported.
import * as traceloop from '@traceloop/node-server-sdk'

traceloop.initialize({
  appName: 'my-app',
  baseUrl: '${origin}',
  apiKey: '${KEY_PLACEHOLDER}',
})
`
}

export function traceloopPython({ origin }: SpanAddress): string {
  return `# pip install traceloop-sdk httpx
from traceloop.sdk import Traceloop

Traceloop.init(
    app_name="my-app",
    api_endpoint="${origin}",
    api_key="${KEY_PLACEHOLDER}",
)
`
}
