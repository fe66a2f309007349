"""LangChain: a chain of prompt, model and parser that answers two questions."""

import os

from rehearsal import EXCHANGES, MODEL_URL, SYSTEM, start_logging, start_tracing

provider = start_tracing()
logs = start_logging() if os.environ.get("WITH_LOGS") else None
if os.environ["INSTRUMENTATION"] == "openllmetry":
    from opentelemetry.instrumentation.langchain import LangchainInstrumentor

    LangchainInstrumentor(use_legacy_attributes=logs is None).instrument()
else:
    from openinference.instrumentation.langchain import LangChainInstrumentor

    LangChainInstrumentor().instrument(tracer_provider=provider)

from langchain_core.messages import AIMessage, HumanMessage  # noqa: E402
from langchain_core.output_parsers import StrOutputParser  # noqa: E402
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder  # noqa: E402
from langchain_openai import ChatOpenAI  # noqa: E402

model = ChatOpenAI(model="gpt-4o", base_url=f"{MODEL_URL}/v1", api_key="none")
prompt = ChatPromptTemplate.from_messages(
    [("system", SYSTEM), MessagesPlaceholder("history"), ("user", "{question}")]
)
chain = prompt | model | StrOutputParser()
history = []
for exchange in EXCHANGES:
    answer = chain.invoke({"question": exchange["prompt"], "history": history})
    history += [HumanMessage(exchange["prompt"]), AIMessage(answer)]

provider.shutdown()
if logs:
    logs.shutdown()
