import type { Client } from './client.ts'
import { CONVERSATION } from './conversation.ts'
import { CHATS, rule } from './selector-rules.ts'

const { exchanges, withDocument, withTool } = CONVERSATION
const founded = { prompt: withDocument.prompt, completion: withDocument.completion }
const asked = { prompt: withTool.prompt, completion: withTool.completion }

const chat = { environment: 'python-observability', program: 'observability_chat.py', calls: exchanges }

/** Tools for observability that have attributes of their own. */
export const OBSERVABILITY_CLIENTS: readonly Client[] = [
  {
    ...chat,
    id: 'logfire',
    name: 'Logfire with OpenAI (Python)',
    packages: ['logfire', 'openai'],
    env: { TOOL: 'logfire' },
    selector: CHATS,
  },
  {
    ...chat,
    id: 'langfuse',
    name: 'Langfuse with OpenAI (Python)',
    packages: ['langfuse', 'openai'],
    env: { TOOL: 'langfuse' },
    selector: [rule('langfuse.observation.type', 'generation')],
  },
  ...(['mlflow', 'mlflow-genai'] as const).map((id) => ({
    id,
    name: `MLflow with OpenAI (Python)${id === 'mlflow' ? '' : ', GenAI conventions'}`,
    environment: 'python-observability',
    program: 'mlflow_chat.py',
    packages: ['mlflow-tracing', 'openai'],
    env: { MLFLOW_ENABLE_OTEL_GENAI_SEMCONV: String(id !== 'mlflow') },
    // The functions around the calls are matched as well, and must not be scored.
    selector: [{ key: 'service.name', source: 'resource_attributes', value: 'matrix' }],
    calls: exchanges,
    spans: [
      // In the words of the conventions the function around a call has no texts.
      ...(id === 'mlflow' ? exchanges.map((one) => ({ name: 'guide', ...one })) : []),
      {
        name: id === 'mlflow' ? withTool.tool : `execute_tool ${withTool.tool}`,
        tool: withTool.tool,
        toolArguments: JSON.stringify(withTool.arguments),
        // In the words of the conventions MLflow writes a text as JSON, in quotes.
        toolResult: JSON.stringify(id === 'mlflow' ? JSON.parse(withTool.result) : withTool.result),
      },
    ],
  })),
  {
    id: 'haystack',
    name: 'Haystack (Python)',
    environment: 'python-observability',
    program: 'haystack_pipeline.py',
    packages: ['haystack-ai'],
    selector: [rule('haystack.component.name', 'llm')],
    calls: [founded],
    spans: [
      // Haystack leaves the output of a pipeline empty when its components are run one by one.
      { name: 'haystack.pipeline.run', prompt: founded.prompt },
      { name: 'haystack.component.run', prompt: founded.prompt, document: withDocument.document },
    ],
  },
  {
    id: 'google-adk',
    name: 'Google ADK (Python)',
    environment: 'python-google-adk',
    program: 'google_adk_agent.py',
    packages: ['google-adk', 'google-genai'],
    // Version 2 sends content only when told to, and then in OpenTelemetry's words.
    env: {
      ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS: 'true',
      OTEL_SEMCONV_STABILITY_OPT_IN: 'gen_ai_latest_experimental',
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'SPAN_ONLY',
    },
    selector: CHATS,
    calls: [exchanges[0], asked],
    spans: [{ name: 'execute_tool', tool: withTool.tool, toolArguments: JSON.stringify(withTool.arguments) }],
  },
]
