import type { Span } from '../../lib/otlp/span.ts'
import { CANONICAL_FIELDS, type CanonicalField } from '../evaluator.ts'
import type {
  Dialect,
  DialectReader,
  FieldOrigin,
  FieldValues,
  Found,
  Message,
  SourcedMessage,
  ToolResult,
} from './canonical-values.ts'
import { answerOf, callsOf, joinSystem, namesById, resultsOf, textsOf, turnsOf } from './conversation.ts'
import { mcp } from './mcp.ts'
import { openinference } from './openinference.ts'
import { openinferenceValue } from './openinference-value.ts'
import { openllmetry } from './openllmetry.ts'
import { otelGenai } from './otel-genai.ts'
import { braintrust, googleAdk, haystack, langfuse, logfire, mlflow } from './payload-dialects.ts'
import { pydanticAi } from './pydantic-ai.ts'
import { isMarkedCut } from './read-cut.ts'
import { modelOf, sessionIdOf } from './span-scalars.ts'
import { SpanSource } from './span-source.ts'
import { traceloopEntity } from './traceloop-entity.ts'
import { vectorDb } from './vector-db.ts'
import { vercelAiSdk } from './vercel-ai-sdk.ts'

/**
 * The order in which dialects are asked. A span may speak several dialects, because one SDK translates for another or
 * two are installed; each thing (conversation in, answer, system prompt, documents, tools) comes whole from the first
 * that has it. Lists of messages come before the general input and output of a span, which say less exactly what was
 * said by whom.
 */
const PRECEDENCE: readonly DialectReader[] = [
  otelGenai,
  openllmetry,
  openinference,
  vercelAiSdk,
  pydanticAi,
  logfire,
  googleAdk,
  openinferenceValue,
  traceloopEntity,
  langfuse,
  mlflow,
  braintrust,
  haystack,
  mcp,
  vectorDb,
]

/** The content of a span, in canonical fields. Nothing is read before it is asked for, and nothing is read twice. */
export interface SpanFields {
  /** The dialect with the most precedence among those whose names are on the span; undefined when none is known. */
  readonly dialect: Dialect | undefined
  /** The value of a field; undefined, never an empty text or list, where the span does not carry it. */
  get<F extends CanonicalField>(field: F): FieldValues[F] | undefined
  /** The attributes that a field was read from; none where the span does not carry it. */
  origins(field: CanonicalField): readonly FieldOrigin[]
  /** The fields that the span carries. */
  found(): readonly CanonicalField[]
}

/** Reads a span of any dialect. Never throws, whatever the attributes hold. */
export function spanFields(span: Span): SpanFields {
  return new LazyFields(span)
}

type Piece = Exclude<keyof DialectReader, 'dialect' | 'speaks'>
type PieceValue<P extends Piece> = ReturnType<NonNullable<DialectReader[P]>>
type Readers = {
  readonly [F in CanonicalField]: (span: LazyFields) => Found<FieldValues[F]> | undefined
}

class LazyFields implements SpanFields {
  readonly #source: SpanSource
  readonly #pieces = new Map<Piece, unknown>()
  readonly #found = new Map<CanonicalField, unknown>()

  constructor(span: Span) {
    this.#source = new SpanSource(span)
  }

  get dialect(): Dialect | undefined {
    const known = PRECEDENCE.find((reader) => reader.speaks(this.#source))
    if (known) return known.dialect
    // Only usage or settings: the prefix is all there is to go by.
    const names = [...this.#source.span.attributes.keys()]
    if (names.some((name) => name.startsWith('gen_ai.'))) return 'otel-genai'
    return names.some((name) => /^(traceloop|llm)\./.test(name)) ? 'openllmetry' : undefined
  }

  get<F extends CanonicalField>(field: F): FieldValues[F] | undefined {
    return this.#field(field)?.value
  }

  origins(field: CanonicalField): readonly FieldOrigin[] {
    return this.#field(field)?.origins ?? []
  }

  found(): readonly CanonicalField[] {
    return CANONICAL_FIELDS.filter((field) => this.#field(field) !== undefined)
  }

  #field<F extends CanonicalField>(field: F): Found<FieldValues[F]> | undefined {
    if (!this.#found.has(field)) this.#found.set(field, LazyFields.#readers[field](this))
    return this.#found.get(field) as Found<FieldValues[F]> | undefined
  }

  #piece<P extends Piece>(piece: P): PieceValue<P> {
    if (!this.#pieces.has(piece)) {
      let value: PieceValue<Piece>
      for (const reader of PRECEDENCE) {
        const found = reader[piece]?.(this.#source)
        value ??= found
        // One that was cut off leaves the word to the next that has all of it.
        if (found === undefined || isCut(found.value)) continue
        value = found
        break
      }
      this.#pieces.set(piece, value)
    }
    return this.#pieces.get(piece) as PieceValue<P>
  }

  static readonly #readers: Readers = {
    prompt: (span) => only(textsOf(span.#input, 'user').at(-1)),
    completion: (span) => only(answerOf(span.#output)),
    system_prompt: (span) => {
      const apart = span.#piece('system')
      const within = textsOf(span.#input, 'system')
      const texts = [...(apart ? [apart.value] : []), ...contents(within)]
      const origins = [...(apart?.origins ?? []), ...within.map(({ origin }) => origin)]
      return found([...new Set(texts)].join('\n\n') || undefined, origins)
    },
    messages: (span) => found(span.#conversation, span.#originsOf('system', 'input', 'output')),
    input_messages: (span) => found(span.#sent, span.#originsOf('system', 'input')),
    output_messages: (span) => found(bare(span.#output), span.#originsOf('output')),
    prompts: (span) => span.#both((messages) => contents(textsOf(messages, 'user'))),
    completions: (span) =>
      span.#both((messages, side) =>
        contents(side === 'output' ? turnsOf(messages) : textsOf(messages, 'assistant')),
      ),
    context: (span) => span.#piece('context'),
    tool_definitions: (span) => span.#piece('toolDefinitions'),
    tool_calls: (span) => span.#piece('toolCalls') ?? span.#both((messages) => callsOf(bare(messages))),
    tool_results: (span) =>
      span.#piece('toolResults') ??
      span.#toolError() ??
      span.#both((messages) => resultsOf(bare(messages), namesById(span.#conversation))),
    logprobs: (span) => span.#piece('logprobs'),
    model: (span) => modelOf(span.#source),
    session_id: (span) => sessionIdOf(span.#source),
  }

  get #input(): readonly SourcedMessage[] {
    return this.#piece('input')?.value ?? []
  }

  get #output(): readonly SourcedMessage[] {
    return this.#piece('output')?.value ?? []
  }

  /** The sent messages, headed by a system prompt that was kept apart. */
  get #sent(): readonly Message[] {
    return joinSystem(this.#piece('system')?.value, bare(this.#input))
  }

  get #conversation(): readonly Message[] {
    return [...this.#sent, ...bare(this.#output)]
  }

  #originsOf(...pieces: readonly ('system' | 'input' | 'output')[]): readonly FieldOrigin[] {
    return pieces.flatMap((piece) => this.#piece(piece)?.origins ?? [])
  }

  /** The values that `read` takes from both sides of the conversation, with the origins of the sides that have any. */
  #both<T>(
    read: (messages: readonly SourcedMessage[], side: 'input' | 'output') => readonly T[],
  ): Found<readonly T[]> | undefined {
    const sides = (['input', 'output'] as const).map((side) => {
      const piece = this.#piece(side)
      const values = read(piece?.value ?? [], side)
      return { values, origins: values.length > 0 ? (piece?.origins ?? []) : [] }
    })
    return found(
      sides.flatMap(({ values }) => values),
      sides.flatMap(({ origins }) => origins),
    )
  }

  /** The span of a tool that failed has no result, but its status says why. */
  #toolError(): Found<readonly ToolResult[]> | undefined {
    const call = this.#piece('toolCalls')?.value[0]
    const { statusCode, statusMessage, events } = this.#source.span
    if (!call || statusCode !== 2) return undefined
    const thrown = events.findLast(({ name }) => name === 'exception')?.attributes.get('exception.message')
    const message = statusMessage || (typeof thrown === 'string' ? thrown : '') || 'error'
    const { name, id } = call
    const result: ToolResult = { name, ...(id !== undefined && { id }), result: { error: message } }
    return { value: [result], origins: [{ source: 'span_status', key: 'message' }] }
  }
}

function isCut(value: unknown): boolean {
  if (!Array.isArray(value)) return isMarkedCut(value)
  return value.some((item) => isMarkedCut(item?.message?.content ?? item))
}

function bare(messages: readonly SourcedMessage[]): Message[] {
  return messages.map(({ message }) => message)
}

function contents(messages: readonly SourcedMessage[]): string[] {
  return messages.map(({ message }) => message.content)
}

function only(message: SourcedMessage | undefined): Found<string> | undefined {
  return message && { value: message.message.content, origins: [message.origin] }
}

function found<T extends { readonly length: number }>(
  value: T | undefined,
  origins: readonly FieldOrigin[],
): Found<T> | undefined {
  return value === undefined || value.length === 0 ? undefined : { value, origins }
}
