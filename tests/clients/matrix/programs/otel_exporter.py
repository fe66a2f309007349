"""OpenTelemetry for Python with spans made by hand, over HTTP or gRPC."""

import json
import os

from rehearsal import API_KEY, EXCHANGES, OTLP_URL

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

if os.environ["PROTOCOL"] == "grpc":
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

    url = os.environ["OTLP_GRPC_URL"]
    exporter = OTLPSpanExporter(url, insecure=True, headers={"authorization": f"Bearer {API_KEY}"})
else:
    from opentelemetry.exporter.otlp.proto.http import Compression
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    exporter = OTLPSpanExporter(
        f"{OTLP_URL}/v1/traces",
        headers={"authorization": f"Bearer {API_KEY}"},
        compression=Compression.Gzip,
    )


def message(role, text):
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


provider = TracerProvider(resource=Resource.create({"service.name": "matrix"}))
provider.add_span_processor(BatchSpanProcessor(exporter))
tracer = provider.get_tracer("guide", "1.0")
for exchange in EXCHANGES:
    with tracer.start_as_current_span("chat gpt-4o") as span:
        span.set_attribute("gen_ai.request.model", "gpt-4o")
        span.set_attribute("gen_ai.input.messages", message("user", exchange["prompt"]))
        span.set_attribute("gen_ai.output.messages", message("assistant", exchange["completion"]))
provider.shutdown()
