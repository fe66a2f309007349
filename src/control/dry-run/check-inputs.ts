import type { ReadableSpan, SpanInputs } from '../../evaluators/kit/span-inputs.ts'
import { defined } from '../../lib/defined.ts'
import { oneLine } from '../../lib/one-line.ts'
import { PublicError } from '../../lib/public-error.ts'

/** Inputs that are shown, and the longest text of one. */
const SHOWN_MAX = 5
const SHOWN_CHARS_MAX = 500
/** Spans on which a pattern of the mapping may take too long before no more are tried. */
const REFUSALS_MAX = 3

/** An input as an evaluator would get it, cut where it is long. */
export interface ShownTrialInput {
  readonly traceId: string
  readonly spanId: string
  readonly input: Readonly<Record<string, string>>
}

/** The inputs that spans give one evaluator. */
export interface CheckedInputs {
  /** Spans that inputs were taken out of: the newest of those that match. */
  readonly checked: number
  /** Those of them that lack an input. */
  readonly missing: number
  /** How many spans lack each input; only inputs that are lacking somewhere. */
  readonly missingByInput: Readonly<Record<string, number>>
  /** Why inputs could not be taken at all, where a pattern takes too long; such spans are not among `checked`. */
  readonly refusal?: string
  /** Bytes of the inputs of one span, on average over those that have them all; absent when none has. */
  readonly bytesMean?: number
  readonly shown: readonly ShownTrialInput[]
}

/** Takes the inputs of an evaluator out of spans and counts what is missing. */
export function checkInputs(inputs: SpanInputs, spans: readonly ReadableSpan[]): CheckedInputs {
  const missingByInput: Record<string, number> = {}
  const shown: ShownTrialInput[] = []
  const refusals: string[] = []
  let checked = 0
  let complete = 0
  let bytes = 0
  for (const from of spans) {
    const given = tryRead(inputs, from)
    if ('refusal' in given) {
      refusals.push(given.refusal)
      if (refusals.length === REFUSALS_MAX) break
      continue
    }
    checked++
    if ('missing' in given) {
      for (const name of given.missing) missingByInput[name] = (missingByInput[name] ?? 0) + 1
      continue
    }
    complete++
    for (const text of Object.values(given.input)) bytes += Buffer.byteLength(text)
    if (shown.length < SHOWN_MAX) shown.push(showInput(from, given.input))
  }
  return {
    checked,
    missing: checked - complete,
    missingByInput,
    ...defined({ refusal: refusals[0] }),
    ...(complete === 0 ? {} : { bytesMean: bytes / complete }),
    shown,
  }
}

function tryRead(inputs: SpanInputs, from: ReadableSpan) {
  try {
    return inputs.read(from)
  } catch (error) {
    if (error instanceof PublicError) return { refusal: error.message }
    throw error
  }
}

function showInput({ span }: ReadableSpan, input: Readonly<Record<string, string>>): ShownTrialInput {
  const cut = Object.entries(input).map(([name, text]) => [name, oneLine(text, SHOWN_CHARS_MAX)])
  return { traceId: span.traceId, spanId: span.spanId, input: Object.fromEntries(cut) }
}
