import { invalidInput } from '../../domain/errors.ts'
import { jsonFaultPlace } from '../../domain/json-fault.ts'

/**
 * Reads token log-probabilities from JSON text in any shape that providers answer: an array of numbers, an array of
 * objects with `logprob`, either of them under `content` or `token_logprobs`, or a list of such parts. A null is allowed
 * only as the first token, which has nothing before it; it is skipped.
 */
export function readTokenLogprobs(text: string): number[] {
  const tokens = tokensIn(parse(text), 'input.logprobs')
  if (tokens[0]?.value === null) tokens.shift()
  if (tokens.length === 0) throw invalidInput('input.logprobs must contain at least one number')
  return tokens.map(({ value, place }) => {
    if (typeof value !== 'number') throw invalidInput(`${place} must be a number`)
    if (value > 0) throw invalidInput(`${place} must be at most 0: it is the logarithm of a probability`)
    return value
  })
}

interface Token {
  readonly value: unknown
  readonly place: string
}

function tokensIn(value: unknown, place: string): Token[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => partOrToken(item, `${place}[${at}]`))
  const list = listOf(value)
  if (!list) throw invalidInput(`${place} must be an array, or an object with content or token_logprobs`)
  return tokensIn(list.values, `${place}.${list.name}`)
}

function partOrToken(item: unknown, place: string): Token[] {
  if (item === null || typeof item !== 'object' || Array.isArray(item)) return [{ value: item, place }]
  if ('logprob' in item) return [{ value: item.logprob, place: `${place}.logprob` }]
  return tokensIn(item, place)
}

function listOf(value: unknown): { name: string; values: unknown[] } | undefined {
  const object = Object(value) as Record<string, unknown>
  const name = ['content', 'token_logprobs'].find((key) => Array.isArray(object[key]))
  return name === undefined ? undefined : { name, values: object[name] as unknown[] }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidInput(`input.logprobs is not valid JSON${jsonFaultPlace(text)}`)
  }
}
