"""LangGraph: a graph of model and tools that answers a question with a tool, after a turn without one."""

import os

from rehearsal import EXCHANGES, MODEL_URL, SYSTEM, WITH_TOOL, get_population, start_tracing

provider = start_tracing()
if os.environ["INSTRUMENTATION"] == "openllmetry":
    from opentelemetry.instrumentation.langchain import LangchainInstrumentor

    LangchainInstrumentor().instrument()
else:
    from openinference.instrumentation.langchain import LangChainInstrumentor

    LangChainInstrumentor().instrument(tracer_provider=provider)

from langchain_core.messages import SystemMessage  # noqa: E402
from langchain_openai import ChatOpenAI  # noqa: E402
from langgraph.checkpoint.memory import InMemorySaver  # noqa: E402
from langgraph.graph import START, MessagesState, StateGraph  # noqa: E402
from langgraph.prebuilt import ToolNode, tools_condition  # noqa: E402

model = ChatOpenAI(model="gpt-4o", base_url=f"{MODEL_URL}/v1", api_key="none").bind_tools([get_population])


def guide(state: MessagesState):
    return {"messages": [model.invoke([SystemMessage(SYSTEM), *state["messages"]])]}


graph = StateGraph(MessagesState)
graph.add_node("guide", guide)
graph.add_node("tools", ToolNode([get_population]))
graph.add_edge(START, "guide")
graph.add_conditional_edges("guide", tools_condition)
graph.add_edge("tools", "guide")
agent = graph.compile(checkpointer=InMemorySaver(), name="guide-agent")

config = {"configurable": {"thread_id": "conversation-1"}}
for question in [EXCHANGES[0]["prompt"], WITH_TOOL["prompt"]]:
    agent.invoke({"messages": [("user", question)]}, config)

provider.shutdown()
