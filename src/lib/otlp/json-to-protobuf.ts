import { jsonFaultPlace } from '../json-fault.ts'
import { invalidInput, PublicError } from '../public-error.ts'
import { JsonFault, writeScalar } from './json-scalars.ts'
import { ANY_VALUE, ARRAY_VALUE, type FieldShape, KEY_VALUE_LIST, MessageShape } from './json-shapes.ts'
import { prepareJsonText } from './json-text.ts'
import { REJECTIONS_KEPT_MAX, VALUE_DEPTH_MAX } from './otlp-limits.ts'
import { WireWriter } from './wire-writer.ts'

/** A request in protobuf that came in JSON. */
export interface WrittenRequest {
  readonly bytes: Buffer
  /** Elements with a value that cannot be what its field says, by their place in the request. An empty one is in their place. */
  readonly faults: ReadonlyMap<number, string>
}

/**
 * Turns a request in JSON into protobuf. Plain JSON.parse reads it: of a repeated key the last one counts, as in other OTLP
 * receivers, whose clients this service shares. A 64-bit integer should be text; a bare one is exact too. A fault inside an
 * `element`, a span for example, concerns that element alone.
 */
export function jsonToProtobuf(body: Uint8Array, shape: MessageShape, element: MessageShape): WrittenRequest {
  const request = parseJson(decode(body))
  const writing = new JsonToProtobuf(element)
  try {
    writing.fields(request, shape, 0)
  } catch (error) {
    if (error instanceof JsonFault) throw invalid(`${writing.path} ${error.message}`)
    throw error
  }
  return { bytes: writing.writer.finish(), faults: writing.faults }
}

function invalid(what: string) {
  return invalidInput(`body is not a valid OTLP JSON message: ${what}`)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(body: Uint8Array): string {
  try {
    return utf8.decode(body)
  } catch {
    throw invalid('it is not UTF-8')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(prepareJsonText(text))
  } catch (error) {
    if (error instanceof PublicError) throw error
    throw invalid(`it is not JSON${jsonFaultPlace(text)}`)
  }
}

class JsonToProtobuf {
  readonly writer = new WireWriter()
  readonly faults = new Map<number, string>()
  readonly #element: MessageShape
  #elements = 0
  #path: (string | number)[] = []

  constructor(element: MessageShape) {
    this.#element = element
  }

  /** Where the writer is, for example `resourceSpans[0].resource`. */
  get path(): string {
    const parts = this.#path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    return parts.join('').slice(1) || 'it'
  }

  /** Writes what it knows of `value`, in the order it came in: of a repeated or competing field the last one counts. */
  fields(value: unknown, shape: MessageShape, depth: number): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new JsonFault('must be an object')
    const content = value as Record<string, unknown>
    for (const name of Object.keys(content)) {
      const field = shape.fields.get(name)
      const held = content[name]
      if (!field || held === null) continue
      this.#path.push(name)
      if (field.isList) this.#list(held, field, depth)
      else this.#one(held, field, depth)
      this.#path.pop()
    }
  }

  #list(content: unknown, field: FieldShape, depth: number): void {
    if (!Array.isArray(content)) throw new JsonFault('must be an array')
    for (let at = 0; at < content.length; at++) {
      const element: unknown = content[at]
      // An absent value is still an element; an absent anything else is not there.
      if (element === null && field.kind !== ANY_VALUE) continue
      this.#path.push(at)
      this.#one(element ?? {}, field, depth)
      this.#path.pop()
    }
  }

  #one(content: unknown, { number, kind }: FieldShape, depth: number): void {
    if (!(kind instanceof MessageShape)) {
      writeScalar(this.writer, number, kind, content)
      return
    }
    const inner = kind === ARRAY_VALUE || kind === KEY_VALUE_LIST ? depth + 1 : depth
    this.writer.message(number, () => {
      if (kind === this.#element) this.#isolated(content)
      // A value that is nested too deeply is cut here, one level below the limit of the scan, so that the scan says so.
      else if (inner <= VALUE_DEPTH_MAX) this.fields(content, kind, inner)
    })
  }

  /** An element that cannot be written leaves an empty one in its place, so that the others keep their numbers. */
  #isolated(content: unknown): void {
    const start = this.writer.position
    const outside = this.#path
    this.#path = []
    try {
      this.fields(content, this.#element, 0)
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error
      this.writer.rewind(start)
      // An empty one is rejected anyway, so reasons that nobody will read need not be kept.
      if (this.faults.size < REJECTIONS_KEPT_MAX)
        this.faults.set(this.#elements, `${this.path} ${error.message}`)
    }
    this.#path = outside
    this.#elements++
  }
}
