import type { Client } from './client.ts'
import { CONVERSATION } from './conversation.ts'

const { exchanges, withTool } = CONVERSATION
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
]
