import { isDeepStrictEqual } from 'node:util'
import type { EvaluationScope } from '../domain/evaluator.ts'
import type { MonitorPlan } from '../domain/monitor.ts'
import type { InputMapping, SetupEntry } from '../domain/setup.ts'
import { type SpanFields, spanFields } from '../domain/span-fields/span-fields.ts'
import { isSkipped, type SkippedSpans, type SpanRole, spanRole } from '../domain/span-role.ts'
import type { AnyEvaluator } from '../evaluators/kit/define-evaluator.ts'
import {
  compileSpanInputs,
  type Mapping,
  type ReadableSpan,
  requiredInputs,
  SHARED_REGEX_MS_MAX,
  type SpanInputs,
} from '../evaluators/kit/span-inputs.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { defined } from '../lib/defined.ts'
import type { Span } from '../lib/otlp/span.ts'
import { PublicError } from '../lib/public-error.ts'
import { RegexSyntaxError } from '../lib/safe-regex/safe-regex.ts'
import {
  aloneFault,
  configFaults,
  faultLine,
  judgeFault,
  missingFault,
  noSpanFault,
  regexFault,
  skippedFault,
  unknownFault,
  unmappedFault,
} from './binding-faults.ts'
import type { EntryEvaluator } from './entry-evaluators.ts'

/** The result of binding an entry: the plan of its monitor, or the reason why it cannot have one. */
export type EntryBinding =
  | { readonly plan: MonitorPlan }
  | {
      /** One line of at most 500 characters, for the person who made the setup. */
      readonly errorMessage: string
      /** Whether other spans could bind it; else only a change of the setup or an upgrade can. */
      readonly canHeal: boolean
    }

/**
 * Finds out where each input of an entry's evaluator comes from: an explicit mapping wins, then the field that the
 * evaluator names. The entry binds when one of the sample spans gives every required input, or, for an evaluator that
 * may choose, one of their traces. The plan says everything that decides a score, always in the same words, because a hash
 * over it names the monitor's version.
 */
export function bindEntry(
  entry: SetupEntry,
  samples: readonly Span[],
  found: EntryEvaluator | undefined,
  /** The traces of these spans, for an entry that looks at more than one span or may choose to. */
  traces: readonly ReadableSpan[] = [],
  /** Spans that the selector of the setup lets the monitor skip. */
  skips?: SkippedSpans,
): EntryBinding {
  if (!found) return failed([unknownFault(entry.slug)], false)
  const scope = scopeOf(entry, found, samples)
  const draft = draftOf(entry, found, scope, skips)
  if ('faults' in draft) return failed(draft.faults, false)
  if (scope !== 'span') return bindTo(draft, traces, found)
  const spans = scoredOf(samples, draft.plan.skips)
  const onSpans = bindTo(draft, spans, found, mayChooseTraces(entry, found) ? traces.length : 0)
  if ('plan' in onSpans) return onSpans
  if (mayChooseTraces(entry, found)) {
    const whole = draftOf(entry, found, 'trace')
    const onTraces = 'faults' in whole ? undefined : bindTo(whole, traces, found)
    if (onTraces && 'plan' in onTraces) return onTraces
  }
  const areAllSkipped = spans.length === 0 && samples.length > 0
  return areAllSkipped ? failed([skippedFault(samples.map(roleOf))], true) : onSpans
}

function bindTo(
  { plan, inputs }: Draft,
  units: readonly ReadableSpan[],
  { evaluator }: EntryEvaluator,
  traceCount = 0,
): EntryBinding {
  const missing = missingOn(units, requiredInputs(evaluator), plan.mapping, inputs, traceCount)
  return missing === undefined ? { plan } : failed([missing], true)
}

/** The spans that a monitor would score. */
export function scoredOf(samples: readonly Span[], skips: SkippedSpans | undefined): ReadableSpan[] {
  const scored = skips === undefined ? samples : samples.filter((span) => !isSkipped(roleOf(span), skips))
  return scored.map((span) => ({ span, fields: fieldsOf(span) }))
}

function roleOf(span: Span): SpanRole {
  return spanRole(span, fieldsOf(span))
}

/**
 * True where an entry may use the trace because no single span has all inputs: one span finds documents, another uses them. A
 * scope or a mapping in the setup stays as it is.
 */
export function mayChooseTraces({ override }: SetupEntry, found: EntryEvaluator | undefined): boolean {
  if (!found || override.scope !== undefined || hasMapping(override)) return false
  const { defaultScope, fromSpan } = found.evaluator
  return defaultScope === 'span' && Object.values(fromSpan).includes('context')
}

function hasMapping({ mapping = {} }: SetupEntry['override']): boolean {
  return Object.keys(mapping).length > 0
}

/** Whether an entry looks at more than one span. */
export function looksAtTraces({ override }: SetupEntry, found: EntryEvaluator | undefined): boolean {
  return (override.scope ?? found?.evaluator.defaultScope) !== 'span'
}

/** True where an entry that single spans cannot bind is tried on their traces. */
export function asksForTraces(entry: SetupEntry, found: EntryEvaluator | undefined): boolean {
  return looksAtTraces(entry, found) || mayChooseTraces(entry, found)
}

/** The scope that the setup names wins; evaluators of traces look at the whole conversation where spans name one. */
export function scopeOf(
  { override }: SetupEntry,
  { evaluator }: EntryEvaluator,
  samples: readonly Span[],
): EvaluationScope {
  if (override.scope !== undefined) return override.scope
  if (evaluator.defaultScope !== 'trace') return evaluator.defaultScope
  return samples.some((span) => fieldsOf(span).get('session_id') !== undefined) ? 'session' : 'trace'
}

/**
 * The plan of an entry that was bound before, for the evaluator and the judge of today: no span needs to be looked at when
 * its inputs come from where spans were seen to give them. Undefined when they do not, or when it cannot be bound.
 */
export function carryOver(
  entry: SetupEntry,
  known: MonitorPlan,
  found: EntryEvaluator,
): MonitorPlan | undefined {
  const draft = draftOf(entry, found, known.scope, known.skips)
  if ('faults' in draft) return undefined
  return isDeepStrictEqual(draft.plan.mapping, known.mapping) ? draft.plan : undefined
}

/** A plan, and how its inputs are read. */
export interface Draft {
  readonly plan: MonitorPlan
  readonly inputs: SpanInputs
}

/** The plan that an entry would have if spans give its inputs, or what no span can change. */
export function draftOf(
  entry: SetupEntry,
  { evaluator, version, judge }: EntryEvaluator,
  scope: EvaluationScope,
  skips?: SkippedSpans,
): Draft | { readonly faults: readonly string[] } {
  const mapping = mappingOf(evaluator, entry.override.mapping ?? {})
  const { config = {}, samplingRate = 1 } = entry.override
  const inputs = compiled(evaluator, mapping)
  const faults = [
    ...unmappedFault(requiredInputs(evaluator).filter((name) => !Object.hasOwn(mapping, name))),
    ...configFaults(evaluator, config),
    ...('message' in inputs ? [inputs.message] : []),
    ...judgeFault(evaluator, judge),
  ]
  if (faults.length > 0 || 'message' in inputs) return { faults }
  const plan: MonitorPlan = {
    slug: entry.slug,
    evaluatorId: entry.evaluatorId,
    evaluatorVersion: version,
    scope,
    config: settingsOf(evaluator, config),
    mapping,
    samplingRate,
    ...defined({ judge, skips: scope === 'span' && !hasMapping(entry.override) ? skips : undefined }),
  }
  return { plan: JSON.parse(canonicalJson(plan)), inputs }
}

function failed(faults: readonly string[], canHeal: boolean): EntryBinding {
  return { errorMessage: faultLine(faults), canHeal }
}

/** Every input that has a source; the explicit one, or the field that the evaluator takes it from by itself. */
function mappingOf(evaluator: AnyEvaluator, explicit: Mapping): Mapping {
  const mapping: Record<string, InputMapping> = {}
  for (const [name, field] of Object.entries(evaluator.fromSpan)) {
    if (Object.hasOwn(explicit, name)) mapping[name] = explicit[name] as InputMapping
    else if (field !== null) mapping[name] = { from: { field } }
  }
  return mapping
}

/** Every setting of the evaluator that was given or has a default. */
function settingsOf({ config }: AnyEvaluator, given: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    Object.keys(config.shape).map((name) => [name, config.shape[name].parse(given[name])]),
  )
}

/** A pattern that was accepted when it was written may be one that this version cannot read. */
function compiled(evaluator: AnyEvaluator, mapping: Mapping): SpanInputs | { readonly message: string } {
  try {
    return compileSpanInputs(evaluator, mapping, { regexMsMax: SHARED_REGEX_MS_MAX })
  } catch (error) {
    if (error instanceof RegexSyntaxError) return { message: regexFault(error.message) }
    throw error
  }
}

/** A pattern that takes too long on so many samples is given up: this runs on the event loop. */
const REFUSALS_MAX = 3

/** The reason why the samples lack an input; undefined when one of them gives all that is required. */
function missingOn(
  samples: readonly ReadableSpan[],
  required: readonly string[],
  mapping: Mapping,
  inputs: SpanInputs,
  traceCount: number,
): string | undefined {
  if (samples.length === 0) return noSpanFault()
  const everMissing = new Set(required)
  const refusals: string[] = []
  for (const sample of samples) {
    const given = tryRead(inputs, sample)
    if ('refusal' in given) {
      refusals.push(given.refusal)
      if (refusals.length === REFUSALS_MAX) return given.refusal
      continue
    }
    if ('input' in given) return undefined
    for (const name of everMissing) if (!given.missing.includes(name)) everMissing.delete(name)
  }
  if (everMissing.size === 0) return aloneFault(required)
  return refusals[0] ?? missingFault([...everMissing], mapping, { spans: samples.length, traces: traceCount })
}

function tryRead(inputs: SpanInputs, sample: ReadableSpan) {
  try {
    return inputs.read(sample)
  } catch (error) {
    if (error instanceof PublicError) return { refusal: error.message }
    throw error
  }
}

// The entries of a setup are bound with the same spans, one after the other.
const fieldsBySpan = new WeakMap<Span, SpanFields>()

function fieldsOf(span: Span): SpanFields {
  let fields = fieldsBySpan.get(span)
  if (!fields) {
    fields = spanFields(span)
    fieldsBySpan.set(span, fields)
  }
  return fields
}
