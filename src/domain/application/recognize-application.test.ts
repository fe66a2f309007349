import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRecording } from '../../../tests/clients/matrix/recording.ts'
import { scanRequest } from '../../lib/otlp/scan-request.ts'
import type { Span } from '../../lib/otlp/span.ts'
import { traceFields } from '../trace-fields/trace-fields.ts'
import { recognizeApplication, type SampledTrace } from './recognize-application.ts'

/** The traces that a real client sent in its recording. */
function recordedTraces(id: string): SampledTrace[] {
  const spans = readRecording(id)
    .requests.filter(({ path }) => path.endsWith('/v1/traces'))
    .flatMap(({ body, contentType }) =>
      scanRequest(body, contentType.includes('json') ? 'json' : 'protobuf').spans.map((view) =>
        view.toSpan(),
      ),
    )
  return tracesOf(spans)
}

function tracesOf(spans: readonly Span[]): SampledTrace[] {
  return [...Map.groupBy(spans, ({ traceId }) => traceId).values()].flatMap((trace) => {
    const fields = traceFields(trace)
    return fields ? [{ spans: trace, fields }] : []
  })
}

// Every dialect that docs/integrations.md has, by the spans that its SDK really sends.
const SENTENCES: Readonly<Record<string, string>> = {
  'openllmetry-langchain': 'We see a chat assistant in LangChain.',
  'openinference-langchain': 'We see a chat assistant in LangChain.',
  'openllmetry-langgraph': 'We see an agent with tools in LangGraph.',
  'openinference-langgraph': 'We see an agent with tools in LangGraph.',
  'openllmetry-llama-index': 'We see a retrieval-augmented assistant in LlamaIndex.',
  'openinference-llama-index': 'We see a retrieval-augmented assistant in LlamaIndex.',
  'openllmetry-chroma': 'We see a retrieval-augmented assistant on the OpenAI SDK.',
  haystack: 'We see a retrieval-augmented assistant in Haystack.',
  'google-adk': 'We see an agent with tools in the Google Agent Development Kit.',
  'pydantic-ai': 'We see an agent with tools in Pydantic AI.',
  'vercel-ai-6': 'We see an agent with tools in the Vercel AI SDK.',
  // Its spans follow the conventions alone and name no framework.
  'vercel-ai-7': 'We see an agent with tools.',
  mlflow: 'We see an agent with tools in MLflow.',
  langfuse: 'We see a multi-turn chat assistant on the Langfuse SDK.',
  logfire: 'We see a multi-turn chat assistant on the Logfire SDK.',
  'openllmetry-openai': 'We see an agent with tools on the OpenAI SDK.',
  'openai-v2-span-only': 'We see an agent with tools on the OpenAI SDK.',
  'openllmetry-anthropic': 'We see a multi-turn chat assistant on the Anthropic SDK.',
  'traceloop-sdk-python': 'We see an agent with tools on the OpenAI SDK.',
  'otel-js-json': 'We see a chat assistant.',
  'openai-v2-no-content': 'We see an application without model calls that carry text on the OpenAI SDK.',
}

for (const [id, sentence] of Object.entries(SENTENCES)) {
  test(`the spans of ${id} are recognized`, () => {
    assert.equal(recognizeApplication(recordedTraces(id)).sentence, sentence)
  })
}

/** Traces of one model call each. */
function chats(...answers: readonly (string | { answer: string; session: string })[]): SampledTrace[] {
  return tracesOf(
    answers.map((each, at) => {
      const { answer, session } = typeof each === 'string' ? { answer: each, session: undefined } : each
      const attributes = new Map([
        ['gen_ai.operation.name', 'chat'],
        ['gen_ai.prompt.0.role', 'user'],
        ['gen_ai.prompt.0.content', `question ${at}`],
        ['gen_ai.completion.0.role', 'assistant'],
        ['gen_ai.completion.0.content', answer],
        ...(session === undefined ? [] : [['session.id', session] as const]),
      ])
      return {
        ...{ traceId: String(at).padStart(32, '0'), spanId: '1'.padStart(16, '0'), traceState: '' },
        ...{ name: 'chat', kind: 3, startUnixNano: BigInt(at), endUnixNano: BigInt(at + 1) },
        ...{ statusCode: 0, statusMessage: '', attributes, resource: new Map() },
        ...{ scopeName: 'own', scopeVersion: '', events: [] },
      }
    }),
  )
}

test('the form of the answers tells SQL, JSON and labels from prose', () => {
  for (const [answers, kind] of [
    [['SELECT 1', '```sql\nDELETE FROM t\n```', 'WITH a AS (SELECT 1) SELECT * FROM a'], 'sql'],
    [['{"a": 1}', '```json\n[1, 2]\n```', '{"b": [true]}'], 'json'],
    [['{not json}', '{neither}', 'text'], 'chat'],
    [['Billing', 'refund', 'billing', 'Refund', 'billing', 'other'], 'classification'],
    // Five different short answers are answers, and two equal ones may be chance.
    [['Oslo', 'Paris', 'Rome', 'Bern', 'Wien'], 'chat'],
    [['Oslo', 'Oslo'], 'chat'],
    [['Select a plan first.', 'Update your app.', 'With pleasure.'], 'chat'],
  ] as const) {
    assert.equal(recognizeApplication(chats(...answers)).kind, kind, answers[0])
  }
})

test('a session with more than one trace is a conversation', () => {
  const say = (session: string) => ({ answer: `Answer in ${session}, and a longer one.`, session })
  assert.equal(recognizeApplication(chats(say('a'), say('a'))).kind, 'conversation')
  assert.equal(recognizeApplication(chats(say('a'), say('b'))).kind, 'chat')
})
