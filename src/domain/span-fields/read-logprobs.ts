import { firstOf, isObject, structureOf } from './json-value.ts'

/**
 * Token log-probabilities in any shape that providers answer: a list of numbers or of objects with `logprob`, under
 * `content` or `token_logprobs`, in the first choice of an answer. A null is left out as the first token, which has
 * nothing before it; with any other gap there is no answer, because a mean over the rest would be of another text.
 */
export function readLogprobs(value: unknown): number[] | undefined {
  const structure = structureOf(value)
  if (Array.isArray(structure)) return numbersIn(structure)
  if (!isObject(structure)) return undefined
  const choices = firstOf(structure, ['choices'])
  if (Array.isArray(choices)) return isObject(choices[0]) ? readLogprobs(choices[0]['logprobs']) : undefined
  const inner = firstOf(structure, ['content', 'token_logprobs', 'logprobs'])
  return typeof inner === 'object' ? readLogprobs(inner) : undefined
}

function numbersIn(list: readonly unknown[]): number[] | undefined {
  const numbers = list.map((item) => (isObject(item) ? item['logprob'] : item))
  if (numbers[0] === null) numbers.shift()
  const isWhole = numbers.length > 0 && numbers.every((number) => Number.isFinite(number))
  return isWhole ? (numbers as number[]) : undefined
}
