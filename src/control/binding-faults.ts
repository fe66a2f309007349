/**
 * Why an entry cannot be bound, in words for the person who made the setup: each names what is missing and says how to
 * supply it.
 */

import type { InputMapping } from '../domain/setup.ts'
import { SPAN_ROLES, type SpanRole } from '../domain/span-role.ts'
import type { AnyEvaluator } from '../evaluators/kit/define-evaluator.ts'
import { firstFault } from '../evaluators/kit/parse-input.ts'
import { type Mapping, placeInWords } from '../evaluators/kit/span-inputs.ts'
import { oneLine } from '../lib/one-line.ts'

/** Longest message of an entry. */
const MESSAGE_CHARS_MAX = 500
/** Longest example of a setting. */
const EXAMPLE_CHARS_MAX = 80

/** The faults as one line: as many of them as fit, the first in any case. */
export function faultLine(faults: readonly string[]): string {
  let line = oneLine(faults[0] ?? '', MESSAGE_CHARS_MAX)
  for (const fault of faults.slice(1)) {
    const longer = `${line}; ${oneLine(fault, MESSAGE_CHARS_MAX)}`
    if (Array.from(longer).length <= MESSAGE_CHARS_MAX) line = longer
  }
  return line
}

/** The evaluator is not there any more. */
export function unknownFault(slug: string): string {
  return `evaluator ${slug} does not exist any more: take it out of the setup, or create it again and write the setup anew`
}

/** Inputs that no span carries by itself and that were not mapped either. */
export function unmappedFault(names: readonly string[]): string[] {
  if (names.length === 0) return []
  return [`${inputsNamed(names)} cannot be taken from a span: ${howToMap(names)}`]
}

/** Settings that the evaluator needs and that were not given, or that only an earlier version accepted. */
export function configFaults({ config, examples }: AnyEvaluator, given: Readonly<Record<string, unknown>>) {
  return Object.keys(config.shape).flatMap((name) => {
    const setting = firstFault(config.shape[name], given[name], `config.${name}`)
    if (!('message' in setting)) return []
    const value = examples.map((example) => example.config?.[name]).find((each) => each !== undefined)
    const example =
      value === undefined
        ? ''
        : `, for example {"${name}": ${oneLine(JSON.stringify(value), EXAMPLE_CHARS_MAX)}}`
    return [`${setting.message}: give it in evaluator_configs[].config${example}`]
  })
}

/** A pattern of the mapping that this version cannot read. */
export function regexFault(message: string): string {
  return `a regex in evaluator_configs[].mapping is not valid: ${message}`
}

/** The evaluator needs a judge and there is none that could do it. */
export function judgeFault({ slug, judging }: AnyEvaluator, judge: string | undefined): string[] {
  if (!judging || judge !== undefined) return []
  return [
    `${slug} needs a judge and none is configured: set ASSAY_JUDGE_MODEL and the key of its provider; it binds by ` +
      'itself when the service is started with them',
  ]
}

/** Nothing to learn from. */
export function noSpanFault(): string {
  return 'no matching span has arrived yet'
}

/** Inputs that no sample gives; `traces` were looked at beside the spans. */
export function missingFault(
  names: readonly string[],
  mapping: Mapping,
  counts: { readonly spans: number; readonly traces: number },
): string {
  const inputs = names.map((name) => `input ${name} (${placeInWords(mapping[name] as InputMapping)})`)
  const unmapped = names.filter((name) => isPlainField(mapping[name] as InputMapping))
  const how = unmapped.length > 0 ? howToMap(unmapped) : 'correct evaluator_configs[].mapping'
  const when = counts.traces > 0 ? 'one' : 'a span'
  return `${unitsThatLack(counts)} ${inputs.join(', ')}; it binds when ${when} does, or ${how}`
}

function unitsThatLack({ spans, traces }: { readonly spans: number; readonly traces: number }): string {
  if (traces === 0) return spans === 1 ? 'the matching span does not give' : `none of ${spans} spans gives`
  if (spans === 1) return 'neither the matching span nor its trace gives'
  return `none of ${spans} spans and none of ${traces} ${traces === 1 ? 'trace' : 'traces'} gives`
}

/** Every input is somewhere, but no sample gives all of them. */
export function aloneFault(names: readonly string[]): string {
  return (
    `${inputsNamed(names)} are there, but never on the same span: ` +
    'set "scope": "trace" in evaluator_configs, ' +
    'in evaluator_configs[].mapping map them to attributes that one span carries, or select other spans'
  )
}

/** Kinds of spans that one message names. */
const ROLES_MAX = 3

/** Every sample is a span that is left out. */
export function skippedFault(roles: readonly SpanRole[]): string {
  const kinds = [...new Set(roles)].slice(0, ROLES_MAX).map((role) => SPAN_ROLES[role])
  const spans =
    roles.length === 1 ? 'the matching span is no call' : `none of ${roles.length} matching spans is a call`
  return (
    `${spans} of a model, a tool or an agent: ${kinds.join(', ')}; it binds when such a call matches. To score other ` +
    'spans name them in the selector (for example {"source": "span_attributes", "key": "traceloop.span.kind", "value": ' +
    '"workflow"}) or map the inputs in evaluator_configs[].mapping'
  )
}

function isPlainField({ from, jsonPath, regex }: InputMapping): boolean {
  return 'field' in from && jsonPath === undefined && regex === undefined
}

function howToMap(names: readonly string[]): string {
  const example = names.map((name) => `"${name}": {"source": "span_attributes", "key": "..."}`).join(', ')
  const what = names.length === 1 ? 'it' : 'them'
  return `map ${what} in evaluator_configs[].mapping, for example {${example}}`
}

function inputsNamed(names: readonly string[]): string {
  return `input${names.length === 1 ? '' : 's'} ${names.join(', ')}`
}
