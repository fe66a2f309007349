"""MLflow: the client of OpenAI with MLflow's autologging, inside a function that is traced, and a tool."""

import os

from rehearsal import API_KEY, EXCHANGES, MODEL_URL, OTLP_URL, SYSTEM, WITH_TOOL, get_population

os.environ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = f"{OTLP_URL}/v1/traces"
# Without this MLflow speaks gRPC, and an HTTP port gets nothing.
os.environ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] = "http/protobuf"
os.environ["OTEL_EXPORTER_OTLP_TRACES_HEADERS"] = f"authorization=Bearer%20{API_KEY}"
os.environ["OTEL_SERVICE_NAME"] = "matrix"

import mlflow  # noqa: E402
from openai import OpenAI  # noqa: E402

mlflow.openai.autolog()
client = OpenAI(base_url=f"{MODEL_URL}/v1", api_key="none")


@mlflow.trace(name=WITH_TOOL["tool"], span_type="TOOL")
def population(city: str) -> str:
    return get_population(city)


@mlflow.trace(name="guide", span_type="CHAIN")
def guide(question: str) -> str:
    population(**WITH_TOOL["arguments"])
    answer = client.chat.completions.create(
        model="gpt-4o",
        messages=[{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}],
    )
    return answer.choices[0].message.content


for exchange in EXCHANGES:
    guide(exchange["prompt"])
mlflow.flush_trace_async_logging(terminate=True)
