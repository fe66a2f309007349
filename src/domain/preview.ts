import { oneLine } from '../lib/one-line.ts'
import { attributeText, type Span } from '../lib/otlp/span.ts'
import type { CanonicalField } from './evaluator.ts'
import type { FieldOrigin, FieldValues, Message, ToolCall } from './span-fields/canonical-values.ts'
import { textOrJson } from './span-fields/json-value.ts'
import { resultText } from './span-fields/read-tools.ts'
import { spanFields } from './span-fields/span-fields.ts'

/** Most characters of one side of a preview. */
export const PREVIEW_CHARS_MAX = 300
/** Characters of one attribute that are looked through for the kind of a medium: its type stands before its bytes. */
const MEDIA_CHARS_MAX = 20_000
/** Kinds of media by the words that every dialect has for them. */
const MEDIA = ['image', 'audio', 'video', 'file', 'document'] as const

/** The question and the answer of a span or a trace in one line each; a side that is not known is absent. */
export interface Preview {
  readonly input?: string
  readonly output?: string
}

/** The fields of a span or of a whole trace. */
interface Fields {
  get<F extends CanonicalField>(field: F): FieldValues[F] | undefined
}

/**
 * Makes a preview: the last message of the user and the final answer. Where no words were exchanged it names the image, the
 * tool or the document instead. `spans` are those that the fields were read from.
 */
export function previewOf(fields: Fields, spans: readonly Span[]): Preview {
  const input = inputOf(fields, spans)
  const output = outputOf(fields, spans)
  return { ...side('input', input), ...side('output', output) }
}

function side(name: keyof Preview, text: string | undefined): Preview {
  // A long text is cut before its white space is looked at, so none may stand at its head.
  const line = text === undefined ? '' : oneLine(text.trimStart(), PREVIEW_CHARS_MAX).toWellFormed()
  return line === '' ? {} : { [name]: line }
}

function inputOf(fields: Fields, spans: readonly Span[]): string | undefined {
  const [call] = fields.get('tool_calls') ?? []
  return (
    fields.get('prompt') ??
    mediaIn(spans, 'input_messages', 'user') ??
    lastText(fields.get('input_messages')?.filter(({ role }) => role !== 'system')) ??
    (call && callText(call))
  )
}

function outputOf(fields: Fields, spans: readonly Span[]): string | undefined {
  const last = fields.get('output_messages')?.at(-1)
  const result = fields.get('tool_results')?.at(-1)
  return (
    fields.get('completion') ??
    (last?.tool_calls && `[tool call: ${last.tool_calls.map(({ name }) => name).join(', ')}]`) ??
    mediaIn(spans, 'output_messages', 'assistant') ??
    lastText(last && [last]) ??
    (result && resultText(result.result)) ??
    fields.get('context')?.[0]
  )
}

function lastText(messages: readonly Message[] | undefined): string | undefined {
  return messages?.findLast(({ content }) => content !== '')?.content
}

function callText({ name, arguments: given }: ToolCall): string {
  return `${name} ${textOrJson(given) ?? ''}`
}

/** The kind of media that a message without words holds, such as `[image]`. */
function mediaIn(
  spans: readonly Span[],
  field: 'input_messages' | 'output_messages',
  role: string,
): string | undefined {
  for (const span of spans) {
    const fields = spanFields(span)
    const message = fields.get(field)?.findLast((one) => one.role === role)
    if (message?.content !== '' || message.tool_calls) continue
    const kind = mediaKind(span, fields.origins(field))
    if (kind) return `[${kind}]`
  }
  return undefined
}

function mediaKind(span: Span, origins: readonly FieldOrigin[]): (typeof MEDIA)[number] | undefined {
  const isOrigin = (key: string) =>
    origins.some((origin) =>
      origin.key.endsWith('*') ? key.startsWith(origin.key.slice(0, -1)) : key === origin.key,
    )
  const sources = [span.attributes, ...span.events.map(({ attributes }) => attributes)]
  const texts = sources.flatMap((attributes) =>
    [...attributes].flatMap(([key, value]) =>
      isOrigin(key) ? [`${key} ${attributeText(value).slice(0, MEDIA_CHARS_MAX)}`] : [],
    ),
  )
  return MEDIA.find((kind) => texts.some((text) => text.includes(kind)))
}
