"""The parts that every Python program of the matrix has in common."""

import json
import os

CONVERSATION = json.loads(os.environ["CONVERSATION"])
SYSTEM = CONVERSATION["system"]
EXCHANGES = CONVERSATION["exchanges"]
WITH_TOOL = CONVERSATION["withTool"]
WITH_DOCUMENT = CONVERSATION["withDocument"]
MODEL_URL = os.environ["MODEL_URL"]
OTLP_URL = os.environ["OTLP_URL"]
API_KEY = os.environ["API_KEY"]


def start_tracing():
    """A tracer provider as the documentation of OpenTelemetry shows it."""
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create({"service.name": "matrix"}))
    exporter = OTLPSpanExporter(f"{OTLP_URL}/v1/traces", headers={"authorization": f"Bearer {API_KEY}"})
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return provider


def start_logging():
    """A logger provider, for instrumentations that send their content as log records."""
    from opentelemetry._logs import set_logger_provider
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
    from opentelemetry.sdk.resources import Resource

    provider = LoggerProvider(resource=Resource.create({"service.name": "matrix"}))
    exporter = OTLPLogExporter(f"{OTLP_URL}/v1/logs", headers={"authorization": f"Bearer {API_KEY}"})
    provider.add_log_record_processor(BatchLogRecordProcessor(exporter))
    set_logger_provider(provider)
    return provider


def get_population(city: str) -> str:
    """The number of people who live in a city."""
    assert city == WITH_TOOL["arguments"]["city"], city
    return WITH_TOOL["result"]
