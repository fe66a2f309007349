"""The client of OpenAI, traced by a tool for observability with attributes of its own."""

import os

from rehearsal import API_KEY, EXCHANGES, MODEL_URL, OTLP_URL, SYSTEM, start_tracing

tool = os.environ["TOOL"]
provider = start_tracing() if tool == "langfuse" else None

if tool == "logfire":
    import logfire
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    exporter = OTLPSpanExporter(f"{OTLP_URL}/v1/traces", headers={"authorization": f"Bearer {API_KEY}"})
    logfire.configure(
        service_name="matrix",
        send_to_logfire=False,
        console=False,
        additional_span_processors=[BatchSpanProcessor(exporter)],
    )

from openai import OpenAI  # noqa: E402

if tool == "logfire":
    logfire.instrument_openai()
elif tool == "langfuse":
    from langfuse import Langfuse
    from langfuse.openai import OpenAI  # noqa: F811

    Langfuse(
        public_key="pk", secret_key="sk", host="http://127.0.0.1:9", tracer_provider=provider, tracing_enabled=True
    )

client = OpenAI(base_url=f"{MODEL_URL}/v1", api_key="none")
messages = [{"role": "system", "content": SYSTEM}]
for exchange in EXCHANGES:
    messages.append({"role": "user", "content": exchange["prompt"]})
    answer = client.chat.completions.create(model="gpt-4o", messages=messages)
    messages.append({"role": "assistant", "content": answer.choices[0].message.content})

if tool == "logfire":
    logfire.force_flush()
else:
    provider.shutdown()
