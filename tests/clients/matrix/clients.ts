import type { Client } from './client.ts'
import { CONVERSATION } from './conversation.ts'

const { exchanges, withTool, withDocument } = CONVERSATION
/** The question that needs a tool is scored once: the call that asks for the tool says nothing. */
const CHAT = [...exchanges, { prompt: withTool.prompt, completion: withTool.completion }]

const rule = (key: string, value?: string) => ({
  key,
  source: 'span_attributes',
  ...(value === undefined ? { operator: 'exists' } : { operator: 'equals', value }),
})
/** The calls of a model in OpenTelemetry's words, and in OpenInference's. */
const CHATS = [rule('gen_ai.request.model')]
const LLM_KIND = [rule('openinference.span.kind', 'LLM')]

const openai = { environment: 'python', program: 'openai_chat.py', calls: CHAT }

const langchain = { environment: 'python', program: 'langchain_chain.py', calls: exchanges }
const langgraph = {
  environment: 'python',
  program: 'langgraph_agent.py',
  calls: [exchanges[0], { prompt: withTool.prompt, completion: withTool.completion }],
}
const llamaIndex = {
  environment: 'python-llama-index',
  program: 'llamaindex_query.py',
  calls: [...exchanges, withDocument],
}

/** All clients, in the order of the table. */
export const CLIENTS: readonly Client[] = [
  {
    ...openai,
    id: 'openllmetry-openai',
    name: 'OpenLLMetry OpenAI (Python)',
    packages: ['opentelemetry-instrumentation-openai', 'openai'],
    env: { INSTRUMENTATION: 'openllmetry' },
    selector: CHATS,
    spans: [{ name: 'openai.chat', prompt: withTool.prompt, tool: withTool.tool }],
  },
  {
    ...openai,
    id: 'openinference-openai',
    name: 'OpenInference OpenAI (Python)',
    packages: ['openinference-instrumentation-openai', 'openai'],
    env: { INSTRUMENTATION: 'openinference' },
    selector: LLM_KIND,
    spans: [{ name: 'ChatCompletion', prompt: withTool.prompt, tool: withTool.tool }],
  },
  {
    ...openai,
    id: 'openllmetry-openai-events',
    name: 'OpenLLMetry OpenAI (Python), events',
    packages: ['opentelemetry-instrumentation-openai', 'openai'],
    env: { INSTRUMENTATION: 'openllmetry', WITH_LOGS: '1' },
    selector: CHATS,
    contentInLogs: true,
  },
  {
    id: 'openllmetry-anthropic',
    name: 'OpenLLMetry Anthropic (Python)',
    environment: 'python',
    program: 'anthropic_chat.py',
    packages: ['opentelemetry-instrumentation-anthropic', 'anthropic'],
    selector: CHATS,
    calls: exchanges,
  },
  {
    id: 'openllmetry-anthropic-events',
    name: 'OpenLLMetry Anthropic (Python), events',
    environment: 'python',
    program: 'anthropic_chat.py',
    packages: ['opentelemetry-instrumentation-anthropic', 'anthropic'],
    env: { WITH_LOGS: '1' },
    selector: CHATS,
    calls: exchanges,
    contentInLogs: true,
  },
  {
    ...langchain,
    id: 'openllmetry-langchain',
    name: 'OpenLLMetry LangChain (Python)',
    packages: ['opentelemetry-instrumentation-langchain', 'langchain-core'],
    env: { INSTRUMENTATION: 'openllmetry' },
    selector: CHATS,
  },
  {
    ...langchain,
    id: 'openinference-langchain',
    name: 'OpenInference LangChain (Python)',
    packages: ['openinference-instrumentation-langchain', 'langchain-core'],
    env: { INSTRUMENTATION: 'openinference' },
    selector: LLM_KIND,
  },
  {
    ...langgraph,
    id: 'openllmetry-langgraph',
    name: 'OpenLLMetry LangGraph (Python)',
    packages: ['opentelemetry-instrumentation-langchain', 'langgraph'],
    env: { INSTRUMENTATION: 'openllmetry' },
    selector: CHATS,
  },
  {
    ...langgraph,
    id: 'openinference-langgraph',
    name: 'OpenInference LangGraph (Python)',
    packages: ['openinference-instrumentation-langchain', 'langgraph'],
    env: { INSTRUMENTATION: 'openinference' },
    selector: LLM_KIND,
  },
  {
    ...llamaIndex,
    id: 'openllmetry-llama-index',
    name: 'OpenLLMetry LlamaIndex (Python)',
    packages: ['opentelemetry-instrumentation-llamaindex', 'llama-index-core'],
    env: { INSTRUMENTATION: 'openllmetry' },
    selector: CHATS,
  },
  {
    ...llamaIndex,
    id: 'openinference-llama-index',
    name: 'OpenInference LlamaIndex (Python)',
    packages: ['openinference-instrumentation-llama-index', 'llama-index-core'],
    env: { INSTRUMENTATION: 'openinference' },
    selector: LLM_KIND,
  },
  {
    id: 'openllmetry-chroma',
    name: 'OpenLLMetry Chroma and OpenAI (Python)',
    environment: 'python',
    program: 'chroma_rag.py',
    packages: ['opentelemetry-instrumentation-chromadb', 'chromadb'],
    selector: CHATS,
    calls: [withDocument],
    spans: [{ name: 'chroma.query', document: withDocument.document }],
  },
  {
    id: 'pydantic-ai',
    name: 'Pydantic AI',
    environment: 'python',
    program: 'pydantic_ai_agent.py',
    packages: ['pydantic-ai-slim'],
    selector: CHATS,
    calls: CHAT,
  },
  {
    id: 'traceloop-sdk-python',
    name: 'Traceloop SDK (Python)',
    environment: 'python',
    program: 'traceloop_sdk.py',
    packages: ['traceloop-sdk'],
    selector: CHATS,
    calls: exchanges,
  },
]
