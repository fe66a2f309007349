import type { components } from '../../api/schema.gen.ts'
import type { Example, SchemaField } from './evaluator-types.ts'

/** Inputs, settings or outputs by name. */
export type Values = Readonly<Record<string, unknown>>

/** The arguments of a call to an evaluator. */
export interface Call {
  readonly input: Values
  readonly config: Values
}

export const EMPTY_CALL: Call = { input: {}, config: {} }

/** An answer with its verdict and everything that is known about it. */
export type Tried = components['schemas']['TriedEvaluator']

/** A call that was made, and what came of it. */
export interface Run {
  readonly id: number
  readonly call: Call
  readonly at: Date
  /** There and back, as this page saw it. */
  readonly durationMs: number
  readonly output?: Values
  /** The error message of the service and its status. */
  readonly error?: Error & { readonly status: number }
  /** The verdict, the judge and what that took. */
  readonly tried?: Tried
}

/** The body of the request: settings that are not set are left to the evaluator. */
export function bodyOf({ input, config }: Call) {
  const given = { ...input }
  return Object.keys(config).length === 0 ? { input: given } : { input: given, config: { ...config } }
}

export const callOf = ({ input, config }: Example): Call => ({ input, config: config ?? {} })

/** Inputs that may be more than text, which the examples show. */
export function jsonInputs(examples: readonly Example[]): ReadonlySet<string> {
  return new Set(
    examples.flatMap(({ input }) =>
      Object.entries(input).flatMap(([name, value]) =>
        typeof value === 'object' && value !== null ? [name] : [],
      ),
    ),
  )
}

/** The input or setting that a complaint of the service is about. */
export function placeOfFault(
  message: string,
): { readonly part: 'input' | 'config'; readonly name: string; readonly message: string } | undefined {
  const [, part, name] = /^(input|config)\.([\w-]+)/.exec(message) ?? []
  if (part === undefined || name === undefined) return undefined
  return { part: part as 'input' | 'config', name, message: message.slice(part.length + 1) }
}

/** A value in so few characters that it fits a line. */
export function shortValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

/** The first outputs of a run in a line. */
export function outputLine(output: Values, fields: readonly SchemaField[]): string {
  return fields
    .filter(({ name, type }) => type !== 'string' && name in output)
    .map(({ name, label }) => `${label}: ${shortValue(output[name])}`)
    .join(', ')
}
