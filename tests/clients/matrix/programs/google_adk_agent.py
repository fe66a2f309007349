"""Google's Agent Development Kit: an agent that answers a question with a tool, after a turn without one."""

import asyncio
import os

from rehearsal import EXCHANGES, MODEL_URL, SYSTEM, WITH_TOOL, get_population, start_tracing

os.environ["GOOGLE_API_KEY"] = "none"
os.environ["GOOGLE_GEMINI_BASE_URL"] = MODEL_URL
provider = start_tracing()

from google.adk.agents import Agent  # noqa: E402
from google.adk.runners import InMemoryRunner  # noqa: E402
from google.genai import types  # noqa: E402

agent = Agent(name="guide", model="gemini-2.5-flash", instruction=SYSTEM, tools=[get_population])


async def main():
    runner = InMemoryRunner(agent=agent, app_name="matrix")
    session = await runner.session_service.create_session(app_name="matrix", user_id="user-1")
    for question in [EXCHANGES[0]["prompt"], WITH_TOOL["prompt"]]:
        message = types.Content(role="user", parts=[types.Part(text=question)])
        async for _ in runner.run_async(user_id="user-1", session_id=session.id, new_message=message):
            pass


asyncio.run(main())
provider.shutdown()
