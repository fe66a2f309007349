/**
 * Why an entry cannot be bound, in words for the person who made the setup: each names what is missing and says how to
 * supply it.
 */

import type { EvaluationScope } from '../domain/evaluator.ts'
import { oneLine } from '../domain/one-line.ts'
import type { InputMapping } from '../domain/setup.ts'
import type { AnyEvaluator } from '../evaluators/kit/define-evaluator.ts'

/** Longest message of an entry. */
const MESSAGE_CHARS_MAX = 500
/** Longest quotation of what a client sent: an attribute's name, a path, a pattern, an example. */
const QUOTED_CHARS_MAX = 80

const HOW_TO_MAP = 'map it in evaluator_configs[].mapping, for example'

/** The faults as one line: as many of them as fit, the first in any case. */
export function faultLine(faults: readonly string[]): string {
  let line = oneLine(faults[0] ?? '', MESSAGE_CHARS_MAX)
  for (const fault of faults.slice(1)) {
    const longer = `${line}; ${oneLine(fault, MESSAGE_CHARS_MAX)}`
    if (Array.from(longer).length <= MESSAGE_CHARS_MAX) line = longer
  }
  return line
}

/** The evaluator belongs to an organization. */
export function customFault(slug: string): string {
  return `${slug} is a custom evaluator, and custom evaluators cannot be monitored in this version`
}

/** Inputs that no span carries by itself and that were not mapped either. */
export function unmappedFault(names: readonly string[]): string[] {
  if (names.length === 0) return []
  const what = names.length === 1 ? `input ${names[0]}` : `inputs ${names.join(', ')}`
  return [`${what} cannot be taken from a span: ${HOW_TO_MAP} ${exampleMapping(names)}`]
}

/** A setting that the evaluator needs was not given, or was accepted by an earlier version only. */
export function configFault(evaluator: AnyEvaluator, message: string): string {
  const name = /^config\.(\w+)/.exec(message)?.[1]
  const value = evaluator.examples.find(({ config }) => name !== undefined && config?.[name] !== undefined)
    ?.config?.[name as string]
  const example = value === undefined ? '' : `, for example {"${name}": ${quoted(value)}}`
  return `${message}: give it in evaluator_configs[].config${example}`
}

/** A pattern of the mapping that this version cannot read. */
export function regexFault(message: string): string {
  return `a regex in evaluator_configs[].mapping is not valid: ${message}`
}

/** The entry looks at more than one span. */
export function scopeFault(
  { slug, defaultScope }: AnyEvaluator,
  chosen: EvaluationScope | undefined,
): string[] {
  const scope = chosen ?? defaultScope
  if (scope === 'span') return []
  const why = chosen === undefined ? `${slug} looks at a ${scope} by default` : `its scope is ${scope}`
  const how = `choose it in evaluator_configs[], for example {"slug": "${slug}", "scope": "span"}`
  return [`this version monitors single spans only, and ${why}: ${how}`]
}

/** The evaluator is known but cannot run yet. */
export function implementationFault({ slug, evaluate }: AnyEvaluator): string[] {
  if (evaluate) return []
  return [
    `${slug} is not implemented in this version; it binds by itself after an upgrade to one that has it`,
  ]
}

/** Nothing to learn from. */
export function noSpanFault(): string {
  return 'no matching span has arrived yet'
}

/** No sample gives the input. */
export function missingFault(name: string, mapping: InputMapping, sampleCount: number): string {
  const spans = sampleCount === 1 ? 'the matching span does not give' : `none of ${sampleCount} spans gives`
  const place = placeOf(mapping)
  const isByDefault = 'field' in mapping.from && mapping.jsonPath === undefined && mapping.regex === undefined
  const how = isByDefault ? `${HOW_TO_MAP} ${exampleMapping([name])}` : 'correct its mapping'
  return `input ${name}: ${spans} ${place}; it binds when one does, or ${how}`
}

/** Every input is somewhere, but no sample gives all of them. */
export function aloneFault(names: readonly string[]): string {
  return (
    `inputs ${names.join(', ')} are there, but never on the same span: ` +
    'in evaluator_configs[].mapping map them to attributes that one span carries, or select other spans'
  )
}

/** Where an input is taken from, in words. */
function placeOf({ from, jsonPath, regex }: InputMapping): string {
  const source =
    'field' in from
      ? `the field ${from.field}`
      : `the ${from.source === 'span_attributes' ? 'span' : 'resource'} attribute ${quoted(from.key)}`
  const path = jsonPath === undefined ? '' : ` at json_path ${quoted(jsonPath)}`
  return `${source}${path}${regex === undefined ? '' : ` with regex ${quoted(regex)}`}`
}

function exampleMapping(names: readonly string[]): string {
  return `{${names.map((name) => `"${name}": {"source": "span_attributes", "key": "..."}`).join(', ')}}`
}

function quoted(value: unknown): string {
  return oneLine(JSON.stringify(value), QUOTED_CHARS_MAX)
}
