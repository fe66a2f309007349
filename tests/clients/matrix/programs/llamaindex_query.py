"""LlamaIndex: a chat with the model, then a query engine over one document."""

import os

from rehearsal import EXCHANGES, MODEL_URL, SYSTEM, WITH_DOCUMENT, start_logging, start_tracing

provider = start_tracing()
logs = start_logging() if os.environ.get("WITH_LOGS") else None
if os.environ["INSTRUMENTATION"] == "openllmetry":
    from opentelemetry.instrumentation.llamaindex import LlamaIndexInstrumentor

    LlamaIndexInstrumentor(use_legacy_attributes=logs is None).instrument()
    # It leaves the calls of OpenAI's models to their own instrumentation.
    from opentelemetry.instrumentation.openai import OpenAIInstrumentor

    OpenAIInstrumentor(use_legacy_attributes=logs is None).instrument()
else:
    from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

    LlamaIndexInstrumentor().instrument(tracer_provider=provider)

from llama_index.core import Document, MockEmbedding, VectorStoreIndex  # noqa: E402
from llama_index.core.llms import ChatMessage  # noqa: E402
from llama_index.llms.openai import OpenAI  # noqa: E402

llm = OpenAI(model="gpt-4o", api_base=f"{MODEL_URL}/v1", api_key="none")
messages = [ChatMessage(role="system", content=SYSTEM)]
for exchange in EXCHANGES:
    messages.append(ChatMessage(role="user", content=exchange["prompt"]))
    messages.append(llm.chat(messages).message)

index = VectorStoreIndex.from_documents(
    [Document(text=WITH_DOCUMENT["document"])], embed_model=MockEmbedding(embed_dim=4)
)
index.as_query_engine(llm=llm).query(WITH_DOCUMENT["prompt"])

provider.shutdown()
if logs:
    logs.shutdown()
