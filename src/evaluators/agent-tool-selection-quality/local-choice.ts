import type { ToolCall, ToolDefinition } from '../../domain/span-fields/canonical-values.ts'
import { isObject } from '../../domain/span-fields/json-value.ts'
import { embedText } from '../local/text-model.ts'
import { contentWords } from '../local/words.ts'
import { saidBy } from '../trajectory/turns.ts'
import type { ToolSelection } from './agent-tool-selection-quality.ts'
import { noCall, rightTool, wrongTool } from './ask-choice.ts'
import { findUnfoundedArgument } from './ground-arguments.ts'
import { type Choice, findFaults } from './read-choice.ts'

/** From this fit on, a tool is taken to serve a request; in units of `fitOf`. */
const FIT_MIN = -1
/** A tool that fits better by more than this should have been called instead. */
const FIT_MARGIN = 0.3
/** How much of a request or of a description is looked at, in characters. */
const READ_CHARS_MAX = 4_000

/** The same without a language model: by the words and the meaning that the request shares with each tool. */
export function judgeChoiceLocally(choice: Choice): ToolSelection {
  const faults = findFaults(choice)
  if (faults.tool !== undefined) return wrongTool(faults.tool)
  const users = saidBy(choice.before, 'user').map(({ text }) => text)
  const requests = [...new Set([users.at(-1) ?? '', users.join('\n')])].map(readRequest)
  const fit = (tool: ToolDefinition) => bestFit(requests, tool)
  const fits = choice.tools.map((tool) => ({ name: tool.name, fit: fit(tool) }))
  const best = fits.toSorted((a, b) => b.fit - a.fit)[0]
  if (choice.calls.length === 0)
    return best !== undefined && best.fit >= FIT_MIN
      ? wrongTool(`No tool is called, although ${best.name} has to do with what was asked for.`)
      : noCall('No tool has to do with what was asked for.')
  for (const call of choice.calls) {
    const own = fits.find(({ name }) => name === call.name)?.fit ?? fit({ name: call.name })
    if (own < FIT_MIN) return wrongTool(`${call.name} has little to do with what was asked for.`)
    // Several calls serve several parts of a request, so that one tool need not fit the whole best.
    if (choice.calls.length === 1 && best !== undefined && own < best.fit - FIT_MARGIN)
      return wrongTool(`${best.name} has more to do with what was asked for than ${call.name}.`)
  }
  const fault = faults.args ?? findUnfoundedArgument(choice)
  const right = rightTool(`${namesOf(choice.calls)} has to do with what was asked for.`)
  return fault === undefined ? right : { ...right, correct_args: false, correct_args_reason: fault }
}

interface Request {
  readonly words: ReadonlySet<string>
  readonly direction: Float32Array | undefined
}

function readRequest(text: string): Request {
  const read = text.slice(0, READ_CHARS_MAX)
  return { words: new Set(contentWords(read)), direction: embedText(read) }
}

/**
 * How well a tool fits the best of the requests, as the logarithm of odds. The weights were fitted on the first half of the
 * labelled rows (docs/judged-evaluators.md).
 */
function bestFit(requests: readonly Request[], tool: ToolDefinition): number {
  const name = apart(tool.name)
  const description = (tool.description ?? name).slice(0, READ_CHARS_MAX)
  const directions = { name: embedText(name), description: embedText(description) }
  const inName = new Set(contentWords(name))
  const about = new Set(contentWords(`${name} ${description}`))
  const known = new Set([...about, ...parameterWords(tool)])
  const fits = requests.map(
    ({ words, direction }) =>
      2.3 * cosine(direction, directions.description) +
      2.6 * cosine(direction, directions.name) +
      1.3 * share(words, known) +
      1.3 * share(about, words) +
      2.9 * share(inName, words) -
      4.6,
  )
  return Math.max(...fits)
}

function parameterWords({ parameters }: ToolDefinition): string[] {
  const properties =
    isObject(parameters) && isObject(parameters['properties']) ? parameters['properties'] : {}
  return Object.entries(properties).flatMap(([name, property]) => {
    const { description = '', enum: values = [] } = isObject(property) ? property : {}
    const allowed = Array.isArray(values) ? values.join(' ') : ''
    return contentWords(`${apart(name)} ${String(description)} ${allowed}`.slice(0, READ_CHARS_MAX))
  })
}

/** `getWeather` and `weather.get_now` are words that stand together. */
function apart(name: string): string {
  return name.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll(/[._/-]+/g, ' ')
}

function share(words: ReadonlySet<string>, among: ReadonlySet<string>): number {
  if (words.size === 0) return 0
  return [...words].filter((word) => among.has(word)).length / words.size
}

function cosine(left: Float32Array | undefined, right: Float32Array | undefined): number {
  return left && right ? left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0) : 0
}

function namesOf(calls: readonly ToolCall[]): string {
  return [...new Set(calls.map(({ name }) => name))].join(', ')
}
