"""The calls of the Traceloop SDK other than tracing: guards, executions, images and synchronisation."""

import asyncio
import os
import threading
import time

from rehearsal import API_KEY, EXCHANGES, MODEL_URL, OTLP_URL, SYSTEM

from traceloop.sdk import Traceloop

CALLS = os.environ["CALLS"]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

Traceloop.init(
    app_name="matrix",
    api_endpoint=OTLP_URL,
    api_key=API_KEY,
    telemetry_enabled=False,
    endpoint_is_traceloop=True,
    traceloop_sync_enabled=CALLS == "sync",
)

from openai import OpenAI  # noqa: E402

openai = OpenAI(base_url=f"{MODEL_URL}/v1", api_key="none")


def ask(content):
    answer = openai.chat.completions.create(
        model="gpt-4o",
        messages=[{"role": "system", "content": SYSTEM}, {"role": "user", "content": content}],
    )
    return answer.choices[0].message.content


async def guards():
    """A guarded call of a model, then guards on texts: those that pass, one that does not, and one with a setting."""
    from traceloop.sdk.guardrail import Guardrails, json_validator_guard, pii_guard, regex_validator_guard, secrets_guard

    async def guarded():
        return ask(EXCHANGES[0]["prompt"])

    both = Guardrails(pii_guard(), secrets_guard(), on_failure="refused", name="outgoing", parallel=False)
    assert await both.run(guarded) == EXCHANGES[0]["completion"]

    async def leak():
        return "Write to jane.doe@example.com or call +1 212 555 0123."

    assert await both.run(leak) == "refused"
    checks = Guardrails(json_validator_guard(), regex_validator_guard(regex="^Oslo$"), on_failure="ignore", parallel=False)
    assert await checks.validate([{"text": '{"city": "Oslo"}'}, {"text": "Oslo"}])
    assert not await checks.validate([{"text": '{"city": "Oslo"}'}, {"text": "Bergen"}])


async def executions():
    """Evaluators that are run by slug: the answer is fetched from the address that the start gives."""
    from traceloop.sdk.evaluator.evaluator import Evaluator
    from traceloop.sdk.guardrail import Guardrails, custom_evaluator_guard

    evaluator = Evaluator(Traceloop.get()._async_http)
    counted = await evaluator.execute("char-count", {"text": EXCHANGES[1]["completion"]})
    assert counted.result.evaluator_result == {"char_count": len(EXCHANGES[1]["completion"])}, counted
    checked = await evaluator.execute(
        "regex-validator", {"text": "Oslo"}, evaluator_config={"regex": "^Bergen$", "should_match": False}
    )
    assert checked.result.evaluator_result == {"is_valid_regex": True}, checked
    guard = custom_evaluator_guard("json-validator", condition_field="is_valid_json")
    assert not await Guardrails(guard, on_failure="ignore").validate([{"text": "{"}])
    try:
        await evaluator.execute("no-such-evaluator", {"text": "Oslo"})
    except Exception as error:
        assert "404 - evaluator not found" in str(error), error
    else:
        raise AssertionError("an unknown evaluator was run")


async def images():
    """A question with an image in base64, which the SDK takes out of the prompt and sends apart."""
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}
    ask([{"type": "text", "text": EXCHANGES[0]["prompt"]}, image])


async def sync():
    """Prompts and the allow-list, fetched at the start and from then on."""
    from traceloop.sdk.prompts import get_prompt
    from traceloop.sdk.tracing.content_allow_list import ContentAllowList

    assert not ContentAllowList().is_allowed({"user_id": "user-1"})
    try:
        get_prompt("no-such-prompt")
    except Exception as error:
        assert "no-such-prompt" in str(error), error
    else:
        raise AssertionError("a prompt was found")
    ask(EXCHANGES[0]["prompt"])
    # The poller has fetched both once more when the second of its rounds begins.
    time.sleep(1.5)


asyncio.run({"guards": guards, "executions": executions, "images": images, "sync": sync}[CALLS]())

from opentelemetry import trace  # noqa: E402

trace.get_tracer_provider().force_flush()
if CALLS == "sync":
    # The poller waits for the end of the main thread, which waits for the poller at exit.
    assert any(thread.name != "MainThread" for thread in threading.enumerate())
