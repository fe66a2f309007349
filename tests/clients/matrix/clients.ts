import type { Client } from './client.ts'
import { CONVERSATION } from './conversation.ts'
import { EXPORTER_CLIENTS } from './exporter-clients.ts'
import { OBSERVABILITY_CLIENTS } from './observability-clients.ts'
import { CHATS, rule } from './selector-rules.ts'
import { TRACELOOP_CLIENTS } from './traceloop-clients.ts'

const { exchanges, withTool, withDocument } = CONVERSATION
/** The question that needs a tool is scored once: the call that asks for the tool says nothing. */
const asked = { prompt: withTool.prompt, completion: withTool.completion }
const founded = { prompt: withDocument.prompt, completion: withDocument.completion }
const CHAT = [...exchanges, asked]
/** The service shows a result that is JSON as JSON, whatever spaces were in it. */
const TOOL = {
  tool: withTool.tool,
  toolArguments: JSON.stringify(withTool.arguments),
  toolResult: JSON.stringify(JSON.parse(withTool.result)),
}

/** The calls of a model in OpenInference's words. */
const LLM_KIND = [rule('openinference.span.kind', 'LLM')]

const openai = { environment: 'python', program: 'openai_chat.py', calls: CHAT }

const langchain = { environment: 'python', program: 'langchain_chain.py', calls: exchanges }
const langgraph = {
  environment: 'python',
  program: 'langgraph_agent.py',
  calls: [exchanges[0], asked],
  spans: [
    { name: 'guide-agent', ...exchanges[0] },
    { name: 'guide-agent', ...asked },
  ],
}
/** LlamaIndex puts the document into the question. */
const QUESTION_WITH_CONTEXT = `Context information is below.
---------------------
${withDocument.document}
---------------------
Given the context information and not prior knowledge, answer the query.
Query: ${withDocument.prompt}
Answer: `
const llamaIndex = {
  environment: 'python-llama-index',
  program: 'llamaindex_query.py',
  calls: [...exchanges, { ...founded, prompt: QUESTION_WITH_CONTEXT }],
}

const openaiV2 = {
  packages: ['opentelemetry-instrumentation-openai-v2', 'openai'],
  selector: CHATS,
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
    id: 'openllmetry-and-openinference-openai',
    name: 'OpenLLMetry and OpenInference OpenAI (Python), both on one call',
    packages: ['opentelemetry-instrumentation-openai', 'openinference-instrumentation-openai', 'openai'],
    env: { INSTRUMENTATION: 'both' },
    // One of the two is named, so that a call is scored once.
    selector: LLM_KIND,
  },
  {
    ...openai,
    id: 'openllmetry-openai-events',
    name: 'OpenLLMetry OpenAI (Python), events',
    packages: ['opentelemetry-instrumentation-openai', 'openai'],
    env: { INSTRUMENTATION: 'openllmetry', WITH_LOGS: '1' },
    selector: CHATS,
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
    noScores: 'no scores: its log events name no span',
  },
  {
    ...langchain,
    id: 'openllmetry-langchain',
    name: 'OpenLLMetry LangChain (Python)',
    packages: ['opentelemetry-instrumentation-langchain', 'langchain-core'],
    env: { INSTRUMENTATION: 'openllmetry' },
    selector: CHATS,
    spans: exchanges.map((one) => ({ name: 'RunnableSequence', ...one })),
  },
  {
    ...langchain,
    id: 'openllmetry-langchain-events',
    name: 'OpenLLMetry LangChain (Python), events',
    packages: ['opentelemetry-instrumentation-langchain', 'langchain-core'],
    env: { INSTRUMENTATION: 'openllmetry', WITH_LOGS: '1' },
    selector: CHATS,
    // The questions are sent as events of the chain; the call itself has the answer only.
    noScores: 'no scores: its log events name the span around the call',
    spans: [
      ...exchanges.map(({ prompt }) => ({ name: 'RunnableSequence', prompt })),
      ...exchanges.map(({ completion }) => ({ name: 'ChatOpenAI', completion })),
    ],
  },
  {
    ...langchain,
    id: 'openinference-langchain',
    name: 'OpenInference LangChain (Python)',
    packages: ['openinference-instrumentation-langchain', 'langchain-core'],
    env: { INSTRUMENTATION: 'openinference' },
    selector: LLM_KIND,
    spans: exchanges.map((one) => ({ name: 'RunnableSequence', ...one })),
  },
  {
    ...langgraph,
    id: 'openllmetry-langgraph',
    name: 'OpenLLMetry LangGraph (Python)',
    packages: ['opentelemetry-instrumentation-langchain', 'langgraph'],
    env: { INSTRUMENTATION: 'openllmetry' },
    selector: CHATS,
    spans: [...langgraph.spans, { name: 'execute_tool get_population', ...TOOL }],
  },
  {
    ...langgraph,
    id: 'openinference-langgraph',
    name: 'OpenInference LangGraph (Python)',
    packages: ['openinference-instrumentation-langchain', 'langgraph'],
    env: { INSTRUMENTATION: 'openinference' },
    selector: LLM_KIND,
    spans: [
      ...langgraph.spans,
      { name: 'guide', ...asked },
      { name: 'get_population', ...TOOL, toolArguments: withTool.arguments.city },
    ],
  },
  {
    ...llamaIndex,
    id: 'openllmetry-llama-index',
    name: 'OpenLLMetry LlamaIndex (Python)',
    packages: ['opentelemetry-instrumentation-llamaindex', 'llama-index-core'],
    env: { INSTRUMENTATION: 'openllmetry' },
    selector: CHATS,
    spans: [
      { name: 'RetrieverQueryEngine.workflow', ...founded },
      { name: 'VectorIndexRetriever', prompt: founded.prompt, document: withDocument.document },
    ],
  },
  {
    ...llamaIndex,
    id: 'openllmetry-llama-index-events',
    name: 'OpenLLMetry LlamaIndex (Python), events',
    packages: ['opentelemetry-instrumentation-llamaindex', 'llama-index-core'],
    env: { INSTRUMENTATION: 'openllmetry', WITH_LOGS: '1' },
    selector: CHATS,
  },
  {
    ...llamaIndex,
    id: 'openinference-llama-index',
    name: 'OpenInference LlamaIndex (Python)',
    packages: ['openinference-instrumentation-llama-index', 'llama-index-core'],
    env: { INSTRUMENTATION: 'openinference' },
    // The span around a call has the kind LLM too, but no tokens.
    selector: [...LLM_KIND, rule('llm.token_count.total')],
    spans: [
      { name: 'RetrieverQueryEngine.query', ...founded },
      { name: 'VectorIndexRetriever.retrieve', prompt: founded.prompt, document: withDocument.document },
    ],
  },
  {
    id: 'openllmetry-chroma',
    name: 'OpenLLMetry Chroma and OpenAI (Python)',
    environment: 'python',
    program: 'chroma_rag.py',
    packages: ['opentelemetry-instrumentation-chromadb', 'chromadb'],
    selector: CHATS,
    calls: [founded],
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
    spans: [
      ...exchanges.map((one) => ({ name: 'invoke_agent guide', ...one })),
      { name: 'invoke_agent counter', ...asked, ...TOOL },
      { name: 'execute_tool', ...TOOL },
    ],
  },
  {
    id: 'traceloop-sdk-python',
    name: 'Traceloop SDK (Python)',
    environment: 'python',
    program: 'traceloop_sdk.py',
    packages: ['traceloop-sdk'],
    selector: CHATS,
    calls: exchanges,
    spans: [
      ...exchanges.map((one) => ({ name: 'guide.workflow', ...one })),
      ...exchanges.map((one) => ({ name: 'ask.task', ...one })),
      { name: 'get_population.tool', ...TOOL, toolArguments: withTool.arguments.city },
    ],
  },
  ...(['SPAN_ONLY', 'SPAN_AND_EVENT', 'EVENT_ONLY', 'NO_CONTENT'] as const).map((mode) => ({
    ...openai,
    ...openaiV2,
    id: `openai-v2-${mode.toLowerCase().replaceAll('_', '-')}`,
    name: `OpenTelemetry OpenAI v2 (Python), ${mode}`,
    env: {
      INSTRUMENTATION: 'openai-v2',
      WITH_LOGS: '1',
      OTEL_SEMCONV_STABILITY_OPT_IN: 'gen_ai_latest_experimental',
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: mode,
    },
    ...(mode === 'NO_CONTENT' && { calls: [] }),
  })),
  {
    ...openai,
    ...openaiV2,
    id: 'openai-v2-default',
    name: 'OpenTelemetry OpenAI v2 (Python), default conventions',
    env: {
      INSTRUMENTATION: 'openai-v2',
      WITH_LOGS: '1',
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    },
  },
  ...['6', '7'].map((major) => ({
    id: `vercel-ai-${major}`,
    name: `Vercel AI SDK ${major}`,
    environment: `vercel-ai-${major}`,
    program: 'vercel-ai.mjs',
    packages: ['ai', ...(major === '7' ? ['@ai-sdk/otel'] : [])],
    env: { AI_MAJOR: major },
    // From version 7 on, the agent around the calls names the model too.
    selector: major === '7' ? [rule('gen_ai.operation.name', 'chat')] : CHATS,
    calls: CHAT,
    spans: [
      ...CHAT.map((one) => ({ name: major === '7' ? 'invoke_agent' : 'ai.generateText', ...one })),
      { name: major === '7' ? 'execute_tool' : 'ai.toolCall', ...TOOL },
    ],
  })),
  ...['newest', '0-22'].map((version) => ({
    id: `traceloop-sdk-node-${version}`,
    name: `Traceloop SDK (Node.js), ${version.replace('-', '.')}`,
    environment: `traceloop-${version}`,
    program: 'traceloop-sdk.mjs',
    packages: ['@traceloop/node-server-sdk', 'openai'],
    selector: CHATS,
    calls: exchanges,
    spans: [
      ...exchanges.map((one) => ({ name: 'guide.workflow', ...one })),
      ...exchanges.map((one) => ({ name: 'ask.task', ...one })),
      { name: 'get_population.tool', ...TOOL },
    ],
  })),
  ...TRACELOOP_CLIENTS,
  ...OBSERVABILITY_CLIENTS,
  ...EXPORTER_CLIENTS,
]
