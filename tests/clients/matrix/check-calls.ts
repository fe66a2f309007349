import { isDeepStrictEqual } from 'node:util'
import type { ExpectedCall } from './client.ts'
import type { AnsweredCall } from './recording.ts'

/** The calls of an SDK that were answered as they have to be, and what is wrong with the others. */
export interface ComparedCalls {
  readonly right: number
  readonly faults: readonly string[]
}

/**
 * Compares the calls of a client with those that are expected. Calls of the same address are expected in their order; the last of
 * them holds for all that follow, because clients that poll do so as often as their time allows.
 */
export function compareCalls(
  expected: readonly ExpectedCall[],
  made: readonly AnsweredCall[],
): ComparedCalls {
  const used = new Set<ExpectedCall>()
  const faults: string[] = []
  for (const call of made) {
    const meant = expected.filter((one) => isAddressed(one, call))
    const wanted = meant.find((one) => !used.has(one)) ?? meant.at(-1)
    if (wanted) used.add(wanted)
    if (!wanted || !isAnswered(wanted, call)) faults.push(faultOf(wanted, call))
  }
  const missing = expected.filter((one) => !used.has(one)).map(({ call }) => `${call} was not called`)
  return { right: made.length - faults.length, faults: [...faults, ...missing] }
}

function isAddressed({ call }: ExpectedCall, { method, path }: AnsweredCall): boolean {
  const wanted = call.split('/')
  const found = `${method} ${path}`.split('/')
  return wanted.length === found.length && wanted.every((part, at) => part === '*' || part === found[at])
}

function isAnswered({ status = 200, answer }: ExpectedCall, call: AnsweredCall): boolean {
  return call.status === status && hasAll(answer, call.answer)
}

/** Whether everything that is expected is in an answer, to the letter; an answer may have more. */
function hasAll(expected: unknown, found: unknown): boolean {
  if (!isObject(expected) || !isObject(found)) return isDeepStrictEqual(expected, found)
  return Object.entries(expected).every(([key, value]) => hasAll(value, found[key]))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function faultOf(wanted: ExpectedCall | undefined, { method, path, status, answer }: AnsweredCall): string {
  const expected = wanted ? JSON.stringify([wanted.status ?? 200, wanted.answer]) : 'no such call'
  return `${method} ${path}: expected ${expected}, answered ${JSON.stringify([status, answer])}`
}
