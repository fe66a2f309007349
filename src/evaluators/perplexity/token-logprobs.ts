import { jsonFaultPlace } from '../../lib/json-fault.ts'
import { invalidInput } from '../../lib/public-error.ts'

/**
 * Reads token log-probabilities from JSON text in any shape that providers answer: an array of numbers, an array of
 * objects with `logprob`, either of them under `content` or `token_logprobs`, or a list of such parts. A null is allowed
 * only as the first token, which has nothing before it; it is skipped.
 */
export function readTokenLogprobs(text: string): number[] {
  const logprobs: number[] = []
  let isFirst = true
  for (const { value, place } of tokensIn(parse(text), 'input.logprobs')) {
    const isSkipped = isFirst && value === null
    isFirst = false
    if (isSkipped) continue
    if (typeof value !== 'number') throw invalidInput(`${place} must be a number`)
    if (value > 0) throw invalidInput(`${place} must be at most 0: it is the logarithm of a probability`)
    logprobs.push(value)
  }
  if (logprobs.length === 0) throw invalidInput('input.logprobs must contain at least one number')
  return logprobs
}

interface Token {
  readonly value: unknown
  readonly place: string
}

// One after the other, so that the first bad one of millions ends it.
function* tokensIn(value: unknown, place: string): Generator<Token> {
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) yield* partOrToken(item, `${place}[${at}]`)
    return
  }
  const list = listOf(value)
  if (!list) throw invalidInput(`${place} must be an array, or an object with content or token_logprobs`)
  yield* tokensIn(list.values, `${place}.${list.name}`)
}

function* partOrToken(item: unknown, place: string): Generator<Token> {
  if (item === null || typeof item !== 'object' || Array.isArray(item)) yield { value: item, place }
  else if ('logprob' in item) yield { value: item.logprob, place: `${place}.logprob` }
  else yield* tokensIn(item, place)
}

function listOf(value: unknown): { name: string; values: unknown[] } | undefined {
  const object = Object(value) as Record<string, unknown>
  const name = ['content', 'token_logprobs'].find((key) => Array.isArray(object[key]))
  return name === undefined ? undefined : { name, values: object[name] as unknown[] }
}

function parse(text: string): unknown {
  try {
    // Python's json writes minus infinity as a word that JSON does not have. The number that stands in for it is as
    // long, so that places stay right.
    return JSON.parse(text.replaceAll('-Infinity', '-1e999999'))
  } catch {
    throw invalidInput(`input.logprobs is not valid JSON${jsonFaultPlace(text)}`)
  }
}
