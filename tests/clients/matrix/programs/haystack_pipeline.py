"""Haystack: a pipeline of retriever, prompt builder and chat generator, traced over OpenTelemetry."""

import os

os.environ["HAYSTACK_CONTENT_TRACING_ENABLED"] = "true"

from haystack import Document, Pipeline, tracing  # noqa: E402
from haystack.components.builders import ChatPromptBuilder  # noqa: E402
from haystack.components.generators.chat import OpenAIChatGenerator  # noqa: E402
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever  # noqa: E402
from haystack.dataclasses import ChatMessage  # noqa: E402
from haystack.document_stores.in_memory import InMemoryDocumentStore  # noqa: E402
from haystack.tracing import OpenTelemetryTracer  # noqa: E402
from haystack.utils import Secret  # noqa: E402
from rehearsal import MODEL_URL, SYSTEM, WITH_DOCUMENT, start_tracing  # noqa: E402

provider = start_tracing()

tracing.enable_tracing(OpenTelemetryTracer(provider.get_tracer("haystack")))
store = InMemoryDocumentStore()
store.write_documents([Document(content=WITH_DOCUMENT["document"])])
template = [ChatMessage.from_system(SYSTEM), ChatMessage.from_user("{{question}}")]

pipeline = Pipeline()
pipeline.add_component("retriever", InMemoryBM25Retriever(store))
pipeline.add_component("prompt_builder", ChatPromptBuilder(template=template, required_variables="*"))
pipeline.add_component(
    "llm",
    OpenAIChatGenerator(model="gpt-4o", api_base_url=f"{MODEL_URL}/v1", api_key=Secret.from_token("none")),
)
pipeline.connect("prompt_builder.prompt", "llm.messages")
question = WITH_DOCUMENT["prompt"]
pipeline.run({"prompt_builder": {"question": question}, "retriever": {"query": question}})

provider.shutdown()
