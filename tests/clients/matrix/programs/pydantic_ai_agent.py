"""Pydantic AI: an agent that answers two questions of one conversation and one with a tool."""

import os

from rehearsal import EXCHANGES, MODEL_URL, SYSTEM, WITH_TOOL, get_population, start_tracing

provider = start_tracing()

from pydantic_ai import Agent  # noqa: E402
from pydantic_ai.models.instrumented import InstrumentationSettings  # noqa: E402
from pydantic_ai.models.openai import OpenAIChatModel  # noqa: E402
from pydantic_ai.providers.openai import OpenAIProvider  # noqa: E402

version = os.environ.get("SETTINGS_VERSION")
Agent.instrument_all(InstrumentationSettings(**({"version": int(version)} if version else {})))

model = OpenAIChatModel("gpt-4o", provider=OpenAIProvider(base_url=f"{MODEL_URL}/v1", api_key="none"))
guide = Agent(model, name="guide", system_prompt=SYSTEM)
history = None
for exchange in EXCHANGES:
    history = guide.run_sync(exchange["prompt"], message_history=history).all_messages()

counter = Agent(model, name="counter", instructions=SYSTEM, tools=[get_population])
counter.run_sync(WITH_TOOL["prompt"])

provider.shutdown()
