import { attributeAliases } from '../../domain/attribute-aliases.ts'
import type { CanonicalField } from '../../domain/evaluator.ts'
import type { InputMapping } from '../../domain/setup.ts'
import { extractPath } from '../../domain/span-fields/extract-path.ts'
import { inputText } from '../../domain/span-fields/input-text.ts'
import type { SpanFields } from '../../domain/span-fields/span-fields.ts'
import { oneLine } from '../../lib/one-line.ts'
import type { AttributeSource, AttributeValue, Span } from '../../lib/otlp/span.ts'
import { invalidInput } from '../../lib/public-error.ts'
import { compileSafeExtractor } from '../../lib/safe-regex/extract.ts'
import { RegexTimeout } from '../../lib/safe-regex/safe-regex.ts'
import type { AnyEvaluator } from './define-evaluator.ts'

/**
 * A span and its fields, which all evaluators of the span share: what one has read, the next need not read again. For a
 * whole trace it is the root with the fields of the trace.
 */
export interface ReadableSpan {
  readonly span: Span
  readonly fields: Pick<SpanFields, 'get'>
}

/** The input of an evaluator, or the names of what the span does not carry. */
export type SpanInput = { readonly input: Readonly<Record<string, string>> } | { readonly missing: string[] }

/** Takes the input of an evaluator out of spans. */
export interface SpanInputs {
  /** Throws `invalidInput(...)` when a pattern of the mapping takes too long on this span. */
  read(from: ReadableSpan): SpanInput
}

/** Where each input comes from, by its name. */
export type Mapping = Readonly<Record<string, InputMapping>>

/** How long a pattern of a mapping may run where others wait for the same thread: on the event loop. */
export const SHARED_REGEX_MS_MAX = 20

/**
 * Compiles a mapping, once for all spans. An input that is there and empty is an input; one that is absent is missing,
 * unless the evaluator can do without it.
 */
export function compileSpanInputs(
  evaluator: AnyEvaluator,
  mapping: Mapping,
  limits: { readonly regexMsMax?: number } = {},
): SpanInputs {
  const required = new Set(requiredInputs(evaluator))
  const readers = Object.entries(mapping).map(([name, how]) => ({
    name,
    read: compileReader(name, how, limits.regexMsMax),
  }))
  const unmapped = [...required].filter((name) => !Object.hasOwn(mapping, name))
  return {
    read(from) {
      const input: Record<string, string> = {}
      const missing = [...unmapped]
      for (const { name, read } of readers) {
        const text = read(from)
        if (text !== undefined) input[name] = text
        else if (required.has(name)) missing.push(name)
      }
      return missing.length > 0 ? { missing } : { input }
    },
  }
}

/** The inputs that an evaluator cannot do without, in the order of its schema. */
export function requiredInputs({ input }: AnyEvaluator): string[] {
  return Object.keys(input.shape).filter((name) => !input.shape[name].safeParse(undefined).success)
}

/** Longest quotation of a name, a path or a pattern that a client sent. */
const QUOTED_CHARS_MAX = 80

/** Where an input is taken from, in words. */
export function placeInWords({ from, jsonPath, regex }: InputMapping): string {
  const side = 'source' in from && from.source === 'resource_attributes' ? 'resource' : 'span'
  const source = 'field' in from ? `field ${from.field}` : `${side} attribute ${quoted(from.key)}`
  const path = jsonPath === undefined ? '' : ` at json_path ${quoted(jsonPath)}`
  return `${source}${path}${regex === undefined ? '' : ` with regex ${quoted(regex)}`}`
}

function quoted(text: string): string {
  return oneLine(JSON.stringify(text), QUOTED_CHARS_MAX)
}

type Reader = (from: ReadableSpan) => string | undefined

function compileReader(
  name: string,
  { from: place, jsonPath, regex }: InputMapping,
  regexMsMax?: number,
): Reader {
  const value = 'field' in place ? fieldReader(place.field) : attributeReader(place.source, place.key)
  // How a list of documents becomes a text is a matter of the whole field, not of a part of it.
  const field = 'field' in place && jsonPath === undefined ? place.field : undefined
  const text: Reader = (from) =>
    inputText(jsonPath === undefined ? value(from) : extractPath(value(from), jsonPath), field)
  return regex === undefined ? text : regexReader(name, regex, text, regexMsMax)
}

function fieldReader(field: CanonicalField): (from: ReadableSpan) => unknown {
  return ({ fields }) => fields.get(field)
}

/** The name that was asked for comes before its aliases: a user who names an attribute has seen it. */
function attributeReader(
  source: AttributeSource,
  key: string,
): (from: ReadableSpan) => AttributeValue | undefined {
  const names = [key, ...attributeAliases(key).filter((name) => name !== key)]
  return ({ span }) => {
    const attributes = source === 'span_attributes' ? span.attributes : span.resource
    for (const name of names) {
      const value = attributes.get(name)
      if (value !== undefined && value !== null) return value
    }
    return undefined
  }
}

function regexReader(name: string, regex: string, text: Reader, msMax?: number): Reader {
  const extract = compileSafeExtractor(regex, msMax)
  return (from) => {
    const whole = text(from)
    if (whole === undefined) return undefined
    try {
      return extract(whole)
    } catch (error) {
      if (error instanceof RegexTimeout) throw invalidInput(`mapping.${name}.regex ${error.message}`)
      throw error
    }
  }
}
