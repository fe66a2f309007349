import type { Span } from '../../lib/otlp/span.ts'

/** The library that an application is built with, and the words that join it to a sentence. */
export interface Framework {
  readonly name: string
  /** For example `in LangChain` or `on the OpenAI SDK`. */
  readonly words: string
}

interface Sign extends Framework {
  /** Matches the name of the instrumentation scope, in lower case. */
  readonly scope?: RegExp
  /** An attribute of this name, or one that begins with it where it ends in a dot or an underscore. */
  readonly attribute?: string
}

const framework = (name: string, sign: Pick<Sign, 'scope' | 'attribute'>): Sign => ({
  name,
  words: `in ${name}`,
  ...sign,
})
const sdk = (name: string, scope: RegExp): Sign => ({ name, words: `on the ${name}`, scope })

/**
 * The signs by which frameworks are told apart, the most telling first: an application in LangGraph also has spans of LangChain and
 * of the SDK of its provider.
 */
const SIGNS: readonly Sign[] = [
  framework('LangGraph', { attribute: 'traceloop.association.properties.langgraph_' }),
  framework('LangChain', { scope: /langchain/ }),
  framework('LlamaIndex', { scope: /llama[_-]?index/ }),
  framework('Haystack', { scope: /haystack/, attribute: 'haystack.' }),
  framework('CrewAI', { scope: /crewai/ }),
  framework('the OpenAI Agents SDK', { scope: /openai[._-]agents/ }),
  framework('AutoGen', { scope: /autogen/ }),
  framework('Semantic Kernel', { scope: /semantic[._-]?kernel/ }),
  framework('DSPy', { scope: /dspy/ }),
  framework('smolagents', { scope: /smolagents/ }),
  framework('Agno', { scope: /\bagno\b/ }),
  framework('the Google Agent Development Kit', { scope: /^gcp\.vertex\.agent$/ }),
  framework('Pydantic AI', { scope: /^pydantic-ai$/ }),
  framework('the Vercel AI SDK', { scope: /^ai$/, attribute: 'ai.operationId' }),
  framework('MLflow', { scope: /^mlflow/, attribute: 'mlflow.spanType' }),
  sdk('Langfuse SDK', /^langfuse/),
  sdk('Logfire SDK', /^logfire/),
  sdk('OpenAI SDK', /openai|^opentelemetry\.util\.genai/),
  sdk('Anthropic SDK', /anthropic/),
  sdk('Amazon Bedrock SDK', /bedrock/),
  sdk('Google Gen AI SDK', /google[._-]?gen|vertexai/),
  sdk('Mistral SDK', /mistral/),
  sdk('Cohere SDK', /cohere/),
  sdk('Ollama SDK', /ollama/),
  sdk('Groq SDK', /groq/),
  sdk('Traceloop SDK', /traceloop/),
]

// OpenInference keeps the names of LangGraph in the JSON of one attribute.
const GRAPH_METADATA = /"langgraph_/

/** The framework that the spans of an application give away; undefined where none does. */
export function frameworkOf(spans: readonly Span[]): Framework | undefined {
  const scopes = [...new Set(spans.map(({ scopeName }) => scopeName.toLowerCase()))]
  const keys = [...new Set(spans.flatMap(({ attributes }) => [...attributes.keys()]))]
  const isGraph = spans.some(({ attributes }) =>
    GRAPH_METADATA.test(String(attributes.get('metadata') ?? '')),
  )
  const sign = SIGNS.find(({ name, scope, attribute }) => {
    if (name === 'LangGraph' && isGraph) return true
    if (scope && scopes.some((each) => scope.test(each))) return true
    return attribute !== undefined && keys.some((key) => isNamed(key, attribute))
  })
  return sign && { name: sign.name.replace(/^the /, ''), words: sign.words }
}

function isNamed(key: string, attribute: string): boolean {
  return /[._]$/.test(attribute) ? key.startsWith(attribute) : key === attribute
}
