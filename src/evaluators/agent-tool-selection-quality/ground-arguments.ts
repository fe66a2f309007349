import type { ToolCall } from '../../domain/span-fields/canonical-values.ts'
import { isObject } from '../../domain/span-fields/json-value.ts'
import { wordsOf } from '../local/words.ts'
import { argumentLeaves, type Choice } from './read-choice.ts'

const PLACEHOLDER =
  /^(?:example|sample|placeholder|string|text|value|foo|bar|test|todo|tbd|unknown|n\/?a|xxx+|\.{3}|<[^>]{1,60}>|\{\{?[^}]{1,60}\}\}?|\[[^\]]{1,60}\]|your[ _-].{1,60})$/i
const NEGATION = /^(?:not|non|no|never|without|except)$/

const NUMBER_WORDS: Readonly<Record<string, number>> = Object.fromEntries(
  'zero one two three four five six seven eight nine ten eleven twelve'
    .split(' ')
    .map((word, value) => [word, value]),
)
// Factors between a number in a request and the same number in an argument: percent, minutes, hours, kilo.
const FACTORS = [1, 100, 0.01, 60, 1 / 60, 3600, 24, 12, 7, 1000, 0.001]

/** How many numbers are compared on either side. */
const NUMBERS_MAX = 1_000

/**
 * The argument that what was said does not bear out: a placeholder, a negation that was not asked for, or a number that
 * was not named although a named number went nowhere. Silent on everything that needs knowledge.
 */
export function findUnfoundedArgument(choice: Choice): string | undefined {
  const words = new Set(wordsOf(saidIn(choice)))
  const unfounded = unfoundedNumbers(choice)
  for (const call of choice.calls) {
    const required = requiredOf(choice.tools.find(({ name }) => name === call.name)?.parameters, call)
    for (const { path, value } of argumentLeaves(call.arguments)) {
      const place = `${call.name}: ${path} = ${JSON.stringify(value)}`
      if (typeof value === 'string') {
        const isKnown = words.has(value.trim().toLowerCase())
        if (PLACEHOLDER.test(value.trim()) && !isKnown) return `${place} is a placeholder.`
        if (isNegatedOnItsOwn(value, words)) return `${place}: nobody asked for the opposite.`
      } else if (typeof value === 'number' && required.has(path.split(/[.[]/)[0] ?? '')) {
        if (unfounded.includes(Math.abs(value))) return `${place}: nobody named this number.`
      }
    }
  }
  return undefined
}

function saidIn({ before }: Choice): string {
  return before.map(({ text }) => text).join('\n')
}

/** Pairs the numbers that were named with those of the arguments; what is left over on both sides does not belong together. */
function unfoundedNumbers(choice: Choice): number[] {
  const used = choice.calls.flatMap(({ arguments: args }) =>
    argumentLeaves(args).flatMap(({ value }) => numbersIn(String(value))),
  )
  const named = numbersIn(saidIn(choice)).filter((number) => {
    const at = used.indexOf(number)
    if (at >= 0) used.splice(at, 1)
    return at < 0
  })
  if (named.length === 0) return []
  return used.filter((number) => !named.some((other) => isSame(other, number)))
}

function isNegatedOnItsOwn(value: string, said: ReadonlySet<string>): boolean {
  const [first = '', ...rest] = wordsOf(value)
  return NEGATION.test(first) && rest.length > 0 && !said.has(first)
}

function requiredOf(parameters: unknown, call: ToolCall): ReadonlySet<string> {
  const required = isObject(parameters) ? parameters['required'] : undefined
  return new Set(Array.isArray(required) ? required.map(String) : Object.keys(call.arguments))
}

/** Numbers without their sign; a thousands separator belongs to its number. */
function numbersIn(text: string): number[] {
  const plain = text.replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, '')
  const digits = plain.match(/\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?/gi) ?? []
  const words = wordsOf(text).flatMap((word) => NUMBER_WORDS[word] ?? [])
  return [...digits.map(Number), ...words].slice(0, NUMBERS_MAX)
}

function isSame(named: number, used: number): boolean {
  return FACTORS.some((factor) => Math.abs(named * factor - used) <= 1e-9 * Math.max(1, used))
}
