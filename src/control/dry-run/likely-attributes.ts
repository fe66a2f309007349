import { spanFields } from '../../domain/span-fields/span-fields.ts'
import type { ReadableSpan } from '../../evaluators/kit/span-inputs.ts'
import { type AttributeSource, type AttributeValue, attributeText } from '../../lib/otlp/span.ts'

/** Spans whose attributes are looked at, and attributes that are told apart. */
const SPANS_MAX = 50
const ATTRIBUTES_MAX = 2_000
/** A shorter text is a number, a flag or a name, and no input. */
const TEXT_CHARS_MIN = 3
const LONG_TEXT_CHARS = 20
/** The rank of a long text in an attribute whose name says nothing; what is below it is not worth trying. */
const LONG_RANK = 10

/** Words that mean the same in names of attributes and of inputs. */
const WORDS: readonly (readonly string[])[] = [
  ['question', 'query', 'prompt', 'input', 'request', 'user', 'instructions'],
  ['answer', 'completion', 'response', 'output', 'result', 'text', 'generated'],
  ['context', 'document', 'documents', 'contexts', 'retrieved', 'source', 'sources', 'passages', 'chunks'],
  ['reference', 'expected', 'truth', 'ground', 'gold', 'ideal', 'target', 'label'],
  ['topics', 'topic', 'allowed'],
]
const MEANINGS = new Map(WORDS.flatMap((words, meaning) => words.map((word) => [word, meaning] as const)))

/** An attribute of spans that may hold an input. */
export interface LikelyAttribute {
  readonly source: AttributeSource
  readonly key: string
}

interface Seen extends LikelyAttribute {
  spans: number
  chars: number
}

/**
 * The attributes of spans that hold texts, those first that are most likely to be an input of this name: by the words in their names, then
 * by the length of the texts, then by how many spans have them.
 */
export function likelyAttributes(input: string, spans: readonly ReadableSpan[]): LikelyAttribute[] {
  const seen = new Map<string, Seen>()
  const read = readAlready(spans.slice(0, SPANS_MAX))
  for (const { span } of spans.slice(0, SPANS_MAX)) {
    for (const [key, value] of span.attributes) {
      if (!read.has(listOf(key))) see(seen, 'span_attributes', key, value)
    }
    for (const [key, value] of span.resource) see(seen, 'resource_attributes', key, value)
  }
  const wanted = wordsOf(input)
  const rank = ({ source, key, chars, spans: count }: Seen) => {
    const isLong = chars / count >= LONG_TEXT_CHARS
    return (
      100 * likeness(wanted, wordsOf(key)) + (isLong ? LONG_RANK : 0) + (source === 'span_attributes' ? 1 : 0)
    )
  }
  return [...seen.values()]
    .map((each) => ({ each, rank: rank(each) }))
    .filter((one) => one.rank >= LONG_RANK)
    .sort((a, b) => b.rank - a.rank || b.each.spans - a.each.spans || (a.each.key < b.each.key ? -1 : 1))
    .map(({ each: { source, key } }) => ({ source, key }))
}

/** Attributes that canonical fields are read from: the evaluator would have taken them by itself. */
function readAlready(spans: readonly ReadableSpan[]): Set<string> {
  const keys = spans.flatMap(({ span }) => {
    const fields = spanFields(span)
    return fields.found().flatMap((field) => fields.origins(field).map(({ key }) => listOf(key)))
  })
  return new Set(keys)
}

/** The name of the list that a numbered attribute belongs to: `gen_ai.prompt` of `gen_ai.prompt.0.role`. */
function listOf(key: string): string {
  return key.replace(/\.(?:\d+\..*|\*)$/s, '')
}

function see(seen: Map<string, Seen>, source: AttributeSource, key: string, value: AttributeValue): void {
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint' || value === null)
    return
  const { length } = attributeText(value)
  if (length < TEXT_CHARS_MIN) return
  const name = `${source} ${key}`
  const known = seen.get(name)
  if (known) {
    known.spans++
    known.chars += length
  } else if (seen.size < ATTRIBUTES_MAX) seen.set(name, { source, key, spans: 1, chars: length })
}

function wordsOf(name: string): string[] {
  return name
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean)
}

/** Two for a word that both have, one for words of one meaning. */
function likeness(wanted: readonly string[], words: readonly string[]): number {
  const score = (word: string) => {
    if (words.includes(word)) return 2
    const meaning = MEANINGS.get(word)
    return meaning !== undefined && words.some((other) => MEANINGS.get(other) === meaning) ? 1 : 0
  }
  return Math.max(0, ...wanted.map(score))
}
