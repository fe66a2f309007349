"""The Traceloop SDK: a workflow with a task and a tool, and the other calls that it makes to the service."""

from rehearsal import API_KEY, EXCHANGES, MODEL_URL, OTLP_URL, SYSTEM, WITH_TOOL, get_population

from traceloop.sdk import Traceloop
from traceloop.sdk.decorators import task, tool, workflow

Traceloop.init(app_name="matrix", api_endpoint=OTLP_URL, api_key=API_KEY, telemetry_enabled=False)

from openai import OpenAI  # noqa: E402

client = OpenAI(base_url=f"{MODEL_URL}/v1", api_key="none")


@task(name="ask")
def ask(question: str) -> str:
    answer = client.chat.completions.create(
        model="gpt-4o",
        messages=[{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}],
    )
    return answer.choices[0].message.content


@tool(name="get_population")
def population(city: str) -> str:
    return get_population(city)


@workflow(name="guide")
def guide(question: str) -> str:
    population(WITH_TOOL["arguments"]["city"])
    return ask(question)


Traceloop.set_association_properties({"session_id": "conversation-1"})
for exchange in EXCHANGES:
    guide(exchange["prompt"])
Traceloop().flush() if hasattr(Traceloop(), "flush") else None
