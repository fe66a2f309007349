"""The client of OpenAI: two turns of one conversation, then a question that needs a tool."""

import os

from rehearsal import EXCHANGES, MODEL_URL, SYSTEM, WITH_TOOL, start_logging, start_tracing

provider = start_tracing()
logs = start_logging() if os.environ.get("WITH_LOGS") else None

kind = os.environ["INSTRUMENTATION"]
if kind == "openllmetry":
    from opentelemetry.instrumentation.openai import OpenAIInstrumentor

    OpenAIInstrumentor(use_legacy_attributes=not os.environ.get("WITH_LOGS")).instrument()
elif kind == "openinference":
    from openinference.instrumentation.openai import OpenAIInstrumentor

    OpenAIInstrumentor().instrument(tracer_provider=provider)
elif kind == "both":
    from openinference.instrumentation.openai import OpenAIInstrumentor as OpenInference
    from opentelemetry.instrumentation.openai import OpenAIInstrumentor as OpenLLMetry

    OpenInference().instrument(tracer_provider=provider)
    OpenLLMetry().instrument()
else:
    from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor

    OpenAIInstrumentor().instrument()

from openai import OpenAI  # noqa: E402

client = OpenAI(base_url=f"{MODEL_URL}/v1", api_key="none")
messages = [{"role": "system", "content": SYSTEM}]
for exchange in EXCHANGES:
    messages.append({"role": "user", "content": exchange["prompt"]})
    answer = client.chat.completions.create(model="gpt-4o", messages=messages)
    messages.append({"role": "assistant", "content": answer.choices[0].message.content})

tool = {
    "type": "function",
    "function": {
        "name": WITH_TOOL["tool"],
        "description": "The number of people who live in a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
asked = [{"role": "user", "content": WITH_TOOL["prompt"]}]
called = client.chat.completions.create(model="gpt-4o", messages=asked, tools=[tool]).choices[0].message
asked.append(called.model_dump(exclude_none=True))
asked.append({"role": "tool", "tool_call_id": called.tool_calls[0].id, "content": WITH_TOOL["result"]})
client.chat.completions.create(model="gpt-4o", messages=asked, tools=[tool])

provider.shutdown()
if logs:
    logs.shutdown()
