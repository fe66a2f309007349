import type { SpanSource } from './span-source.ts'

/** A tool that a model or an agent called. Arguments are structured where they are JSON, else the text that was sent. */
export interface ToolCall {
  readonly name: string
  readonly arguments: object | string
  readonly id?: string
}

/** The result of a tool; structured where it is JSON. */
export interface ToolResult {
  readonly name?: string
  readonly id?: string
  readonly result: unknown
}

/** A tool that a model may call. */
export interface ToolDefinition {
  readonly name: string
  readonly description?: string
  /** The JSON schema of its arguments. */
  readonly parameters?: unknown
}

/** A message of a conversation. Content is its text alone: '' where it has only media or tool calls. */
export interface Message {
  /** `system`, `user`, `assistant` or `tool`; a role that means none of these stays as it was sent. */
  readonly role: string
  readonly content: string
  /** The tool that answered, in a message with role `tool`. */
  readonly name?: string
  readonly tool_calls?: readonly ToolCall[]
  readonly tool_call_id?: string
}

/** One side of an exchange: a text, or messages where a text cannot hold it, such as the calls and results of tools. */
export type Turn = string | Message | readonly Message[]

/** The value of each canonical field where a span, or a whole trace, carries it. */
export interface FieldValues {
  readonly prompt: string
  readonly completion: string
  readonly system_prompt: string
  /** The conversation that was sent, and after it what came back. */
  readonly messages: readonly Message[]
  /** The conversation that was sent, without what came back. */
  readonly input_messages: readonly Message[]
  /** The answer: alternatives of one answer, or the steps of an agent. */
  readonly output_messages: readonly Message[]
  /** Texts for a span; for a trace also messages, so that prompt, completion, prompt and so on is the conversation. */
  readonly prompts: readonly Turn[]
  readonly completions: readonly Turn[]
  readonly context: readonly string[]
  readonly tool_definitions: readonly ToolDefinition[]
  readonly tool_calls: readonly ToolCall[]
  readonly tool_results: readonly ToolResult[]
  readonly logprobs: readonly number[]
  readonly model: string
  readonly session_id: string
}

/** Conventions of tracing that are told apart. */
export const DIALECTS = [
  'otel-genai',
  'openllmetry',
  'openinference',
  'vercel-ai-sdk',
  'pydantic-ai',
  'logfire',
  'google-adk',
  'langfuse',
  'mlflow',
  'braintrust',
  'haystack',
  'mcp',
  'vector-db',
] as const
export type Dialect = (typeof DIALECTS)[number]

/**
 * Where a value was found. A key that ends in `.*` stands for all numbered attributes of that list. `span_name` and
 * `span_status` are the span's own: the tool that a span is named after, and the error of one without a result.
 */
export interface FieldOrigin {
  readonly source:
    | 'span_attributes'
    | 'resource_attributes'
    | 'event_attributes'
    | 'span_name'
    | 'span_status'
  readonly key: string
  /** The name of the event, exactly when the source is `event_attributes`. */
  readonly event?: string
}

/** A value and where it was found. */
export interface Found<T> {
  readonly value: T
  readonly origins: readonly FieldOrigin[]
}

/** A message that knows the attribute it was read from. */
export interface SourcedMessage {
  readonly message: Message
  readonly origin: FieldOrigin
}

/**
 * The readings that one dialect has of a span. Every function answers undefined when the span does not carry the
 * thing in this dialect, and none of them throws.
 */
export interface DialectReader {
  readonly dialect: Dialect
  /** Whether the names on the span are those of this dialect; decides only which dialect is reported. */
  readonly speaks: (span: SpanSource) => boolean
  /** The conversation that was sent. */
  readonly input?: (span: SpanSource) => Found<readonly SourcedMessage[]> | undefined
  /** The messages of the answer. */
  readonly output?: (span: SpanSource) => Found<readonly SourcedMessage[]> | undefined
  /** A system prompt that is kept apart from the conversation. */
  readonly system?: (span: SpanSource) => Found<string> | undefined
  readonly context?: (span: SpanSource) => Found<readonly string[]> | undefined
  readonly toolDefinitions?: (span: SpanSource) => Found<readonly ToolDefinition[]> | undefined
  /** The call that a tool span is the execution of. */
  readonly toolCalls?: (span: SpanSource) => Found<readonly ToolCall[]> | undefined
  /** The result of that call. */
  readonly toolResults?: (span: SpanSource) => Found<readonly ToolResult[]> | undefined
  readonly logprobs?: (span: SpanSource) => Found<readonly number[]> | undefined
}
