"""Chroma and OpenAI: a question that is answered from a document of a vector database."""

from rehearsal import MODEL_URL, WITH_DOCUMENT, start_tracing

provider = start_tracing()

from opentelemetry.instrumentation.chromadb import ChromaInstrumentor  # noqa: E402
from opentelemetry.instrumentation.openai import OpenAIInstrumentor  # noqa: E402

ChromaInstrumentor().instrument()
OpenAIInstrumentor().instrument()

import chromadb  # noqa: E402
from openai import OpenAI  # noqa: E402
from opentelemetry import trace  # noqa: E402

with trace.get_tracer("rag").start_as_current_span("answer"):
    cities = chromadb.EphemeralClient().create_collection("cities")
    cities.add(ids=["1"], documents=[WITH_DOCUMENT["document"]], embeddings=[[0.1, 0.2, 0.3]])
    found = cities.query(query_embeddings=[[0.1, 0.2, 0.3]], n_results=1)
    context = found["documents"][0][0]
    OpenAI(base_url=f"{MODEL_URL}/v1", api_key="none").chat.completions.create(
        model="gpt-4o",
        messages=[
            {"role": "system", "content": f"Answer from this: {context}"},
            {"role": "user", "content": WITH_DOCUMENT["prompt"]},
        ],
    )

provider.shutdown()
