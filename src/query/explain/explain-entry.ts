import type { EvaluationStatus } from '../../domain/evaluation.ts'
import type { EvaluationScope } from '../../domain/evaluator.ts'
import type { EvaluatorConfig, SetupEntry } from '../../domain/setup.ts'
import { isSkipped, SPAN_ROLES, type SpanRole } from '../../domain/span-role.ts'
import type { GatheredUnit, MonitorDecision, SetupDecision } from '../../ports/explain-storage.ts'

/**
 * How far an evaluator of a setup has come with a span: a status of an evaluation, or
 *
 * | outcome        | what is true                                                                     |
 * |----------------|----------------------------------------------------------------------------------|
 * | not_matched    | the setup does not select the span                                               |
 * | not_bound      | there is no monitor yet; spans that matched before it are evaluated too          |
 * | binding_failed | there can be no monitor; the entry's error message says why                      |
 * | not_ready      | its trace or session may still get spans; it is looked at at a certain time      |
 * | waiting        | it is queued                                                                     |
 * | put_off        | it is queued and not to be tried before a certain time                           |
 * | in_progress    | a worker holds it                                                                |
 * | not_kept       | it was evaluated, and the result is gone                                         |
 */
export const ENTRY_OUTCOMES = [
  'not_matched',
  'not_bound',
  'binding_failed',
  'not_ready',
  'waiting',
  'put_off',
  'in_progress',
  'not_kept',
] as const
export type EntryOutcome = EvaluationStatus | (typeof ENTRY_OUTCOMES)[number]

/** The outcome of a span with one evaluator of a setup. */
export interface EntryExplanation {
  readonly slug: string
  readonly outcome: EntryOutcome
  /** Why, as half a sentence. */
  readonly reason: string
  /** How far its monitor has come; absent when the entry belongs to an older version of the setup. */
  readonly entry?: SetupEntry
  readonly samplingRate: number
  readonly scope: EvaluationScope | undefined
  readonly monitor?: MonitorDecision
}

/** The facts about a span and the present that every entry of a setup needs. */
export interface EntryFacts {
  readonly decision: SetupDecision
  readonly isMatched: boolean
  readonly samplingNumber: number
  readonly role: SpanRole
  readonly nowMs: number
  /** The span has no messages of its own, which may come as log events. */
  readonly awaitsContent: boolean
}

/** Tells what became of the span with one evaluator of the version that decided about it. */
export function explainEntry({ slug, override }: EvaluatorConfig, facts: EntryFacts): EntryExplanation {
  const { decision } = facts
  const isCurrent =
    decision.deletedAtMs === undefined && decision.decidedBy?.version === decision.currentVersion
  const entry = isCurrent ? decision.entries.find((each) => each.slug === slug) : undefined
  const monitor = monitorFor(decision, slug)
  const samplingRate = monitor?.samplingRate ?? override.samplingRate ?? 1
  const scope = monitor?.scope ?? override.scope
  return {
    slug,
    ...outcomeOf(facts, entry, monitor, samplingRate),
    ...(entry ? { entry } : {}),
    samplingRate,
    scope,
    ...(monitor ? { monitor } : {}),
  }
}

/** The version of the monitor that has to do with the span: the one that evaluated it, or that has it to do. */
function monitorFor({ monitors }: SetupDecision, slug: string): MonitorDecision | undefined {
  const own = monitors.filter((monitor) => monitor.slug === slug).toReversed()
  return (
    own.find(({ evaluation }) => evaluation) ??
    own.find(({ work }) => work && work.state !== 'cancelled') ??
    own.find(({ work }) => work) ??
    own.find(({ isOfDecision }) => isOfDecision)
  )
}

type Outcome = Pick<EntryExplanation, 'outcome' | 'reason'>

function outcomeOf(
  facts: EntryFacts,
  entry: SetupEntry | undefined,
  monitor: MonitorDecision | undefined,
  samplingRate: number,
): Outcome {
  if (!facts.isMatched) {
    const others = monitor?.unit
      ? `, but other spans of its ${monitor.unit.scope} that are evaluated with it`
      : ''
    return { outcome: 'not_matched', reason: `the setup does not match the span${others}` }
  }
  if (monitor?.evaluation) return evaluated(monitor, monitor.evaluation)
  if (monitor?.skips && isSkipped(facts.role, monitor.skips)) return skipped(facts.role)
  if (monitor?.unit?.isSampledOut) {
    const { scope } = monitor.unit
    return { outcome: 'sampled_out', reason: `the sampling rate ${samplingRate} leaves its ${scope} out` }
  }
  // A session has a number of its own, which only its evaluation works out.
  if (monitor?.scope !== 'session' && facts.samplingNumber >= samplingRate) {
    return sampledOut(facts.samplingNumber, samplingRate)
  }
  if (monitor?.unit) return unitInWords(monitor, monitor.unit, entry, facts)
  if (monitor?.work) return workInWords(monitor, monitor.work, facts)
  return unworked(facts, entry, monitor)
}

function evaluated(
  { work, unit }: MonitorDecision,
  { status, errorMessage, createdAtMs }: NonNullable<MonitorDecision['evaluation']>,
): Outcome {
  const why = errorMessage === undefined ? '' : ` (${errorMessage})`
  const isOpen = unit
    ? unit.state !== 'done'
    : work?.hasUnit && (work.state === 'ready' || work.state === 'leased')
  const again = isOpen ? ', and it is to be evaluated again' : ''
  return { outcome: status, reason: `${status}${why} at ${timeOf(createdAtMs)}${again}` }
}

function skipped(role: SpanRole): Outcome {
  const how = 'to have it scored, name it in the selector or map the inputs in evaluator_configs'
  return { outcome: 'skipped', reason: `skipped, because it is ${SPAN_ROLES[role]}; ${how}` }
}

function sampledOut(number: number, rate: number): Outcome {
  return {
    outcome: 'sampled_out',
    reason: `the sampling number ${number.toFixed(4)} of its trace is not below the sampling rate ${rate}`,
  }
}

function workInWords(
  { isActive }: MonitorDecision,
  { state, hasUnit, attempts, readyAtMs, leaseUntilMs = 0 }: NonNullable<MonitorDecision['work']>,
  { decision, nowMs, awaitsContent }: EntryFacts,
): Outcome {
  if (state === 'cancelled') return { outcome: 'cancelled', reason: `cancelled: ${endOf(decision)}` }
  if (state === 'done' || !hasUnit) {
    return { outcome: 'not_kept', reason: 'it was evaluated, and the result is no longer kept' }
  }
  const tries = attempts === 0 ? '' : ` after ${attempts === 1 ? '1 try' : `${attempts} tries`}`
  if (!isActive) {
    return { outcome: 'waiting', reason: `waiting${tries} until the setup has been processed again` }
  }
  if (state === 'leased' && leaseUntilMs > nowMs) {
    return { outcome: 'in_progress', reason: `being evaluated, try ${attempts}` }
  }
  if (state === 'ready' && readyAtMs > nowMs) {
    const why = awaitsContent ? ': it carries no messages, and they may still come as log events' : ''
    return { outcome: 'put_off', reason: `put off until ${timeOf(readyAtMs)}${tries}${why}` }
  }
  return { outcome: 'waiting', reason: `waiting for a worker${tries}` }
}

/** A trace or a session that has not been evaluated yet. */
function unitInWords(
  { isActive }: MonitorDecision,
  { scope, state, changedAtMs, lookAtMs, attempts, leaseUntilMs = 0 }: GatheredUnit,
  entry: SetupEntry | undefined,
  { decision, nowMs }: EntryFacts,
): Outcome {
  if (!entry) return { outcome: 'cancelled', reason: `cancelled: ${endOf(decision)}` }
  if (!isActive) return { outcome: 'waiting', reason: 'waiting until the setup has been processed again' }
  if (state === 'done') {
    return { outcome: 'not_kept', reason: `its ${scope} was evaluated, and the result is no longer kept` }
  }
  if (state === 'leased' && leaseUntilMs > nowMs) {
    return { outcome: 'in_progress', reason: `its ${scope} is being evaluated, try ${attempts}` }
  }
  if (lookAtMs > nowMs) {
    const since = `its newest span arrived at ${timeOf(changedAtMs)}`
    return { outcome: 'not_ready', reason: `its ${scope} is looked at at ${timeOf(lookAtMs)}, ${since}` }
  }
  return { outcome: 'waiting', reason: `its ${scope} waits for a worker` }
}

/** Matched, and there is no work for it. */
function unworked(
  { decision }: EntryFacts,
  entry: SetupEntry | undefined,
  monitor: MonitorDecision | undefined,
): Outcome {
  if (!entry) return { outcome: 'cancelled', reason: `cancelled: ${endOf(decision)}` }
  if (entry.status === 'failed') {
    return {
      outcome: 'binding_failed',
      reason: `it has no monitor: ${entry.errorMessage ?? 'binding failed'}`,
    }
  }
  if (entry.status !== 'completed' || !monitor) {
    return { outcome: 'not_bound', reason: `it has no monitor yet, the setup is ${decision.status}` }
  }
  if (monitor.scope !== 'span') {
    return { outcome: 'waiting', reason: `the ${monitor.scope} of the span has not been evaluated yet` }
  }
  return { outcome: 'waiting', reason: 'it matched before the monitor existed and is about to be queued' }
}

function endOf({ deletedAtMs, currentVersion }: SetupDecision): string {
  if (deletedAtMs !== undefined) return `the setup was deleted at ${timeOf(deletedAtMs)}`
  return `the setup was changed and is at version ${currentVersion} now`
}

/** A moment in a sentence. */
export function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}
