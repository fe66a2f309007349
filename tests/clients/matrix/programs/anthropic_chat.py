"""The client of Anthropic: two turns of one conversation."""

import os

from rehearsal import EXCHANGES, MODEL_URL, SYSTEM, start_logging, start_tracing

provider = start_tracing()
logs = start_logging() if os.environ.get("WITH_LOGS") else None

from opentelemetry.instrumentation.anthropic import AnthropicInstrumentor  # noqa: E402

AnthropicInstrumentor(use_legacy_attributes=logs is None).instrument()

from anthropic import Anthropic  # noqa: E402

client = Anthropic(base_url=MODEL_URL, api_key="none")
messages = []
for exchange in EXCHANGES:
    messages.append({"role": "user", "content": exchange["prompt"]})
    answer = client.messages.create(model="claude-4", max_tokens=100, system=SYSTEM, messages=messages)
    messages.append({"role": "assistant", "content": answer.content[0].text})

provider.shutdown()
if logs:
    logs.shutdown()
