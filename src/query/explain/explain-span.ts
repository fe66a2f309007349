import { notFound } from '../../domain/errors.ts'
import { samplingNumber } from '../../domain/sampling.ts'
import { explainRules, type SelectorExplanation } from '../../domain/selector-matcher.ts'
import { awaitsContent } from '../../domain/span-fields/awaits-content.ts'
import { spanFields } from '../../domain/span-fields/span-fields.ts'
import { spanRole } from '../../domain/span-role.ts'
import type { ProjectTenant } from '../../domain/tenant.ts'
import type { SpanView } from '../../lib/otlp/span-view.ts'
import type { ExplainedRange, SetupDecision, SpanDecisions } from '../../ports/explain-storage.ts'
import type { Storage } from '../../ports/storage.ts'
import { type EntryExplanation, type EntryFacts, explainEntry, timeOf } from './explain-entry.ts'
import { findSpan, whyNotFound } from './find-span.ts'
import { failedRulesInWords } from './rule-words.ts'

/** Why a setup has something to say about a span, or has not. */
export type SetupStanding = 'decided' | 'created_later' | 'deleted_before' | 'other_environment'

/** The decision of a setup about a span, and its consequences. */
export interface SetupExplanation {
  readonly decision: SetupDecision
  readonly standing: SetupStanding
  /** The rules of the version that decided, tried again; absent where none did. */
  readonly rules?: SelectorExplanation
  readonly entries: readonly EntryExplanation[]
  /** All of it as one sentence. */
  readonly summary: string
}

/** Everything that can be told about a span. */
export interface SpanExplanation extends Omit<SpanDecisions, 'setups'> {
  readonly view: SpanView
  readonly samplingNumber: number
  /** Whether it is a call of our own judge, which nothing matches. */
  readonly isJudgeCall: boolean
  readonly setups: readonly SetupExplanation[]
  /** The last setup of the page, where there may be more. */
  readonly nextAfter?: string
}

/**
 * Says why a span was scored or was not. The decisions are those that were stored when the span arrived; what is told about
 * the rules is derived again, by the code that matches spans.
 */
export async function explainSpan(
  storage: Storage,
  tenant: ProjectTenant,
  ids: { readonly traceId: string; readonly spanId: string },
  range: ExplainedRange,
  nowMs: number,
): Promise<SpanExplanation> {
  const found = await findSpan(storage, tenant, ids.traceId, ids.spanId)
  const place = found && { ...ids, batchId: found.batchId, ordinal: found.ordinal }
  // One more than asked for tells whether there is another page.
  const asked = { ...range, limit: range.limit + 1 }
  const decisions = place && (await storage.readDecisions(tenant, place, asked))
  if (!found || !decisions) {
    throw notFound(`span not found: ${await whyNotFound(storage, tenant, ids.traceId, ids.spanId)}`)
  }
  const isNamed = range.externalId !== undefined && range.afterSetupId === undefined
  if (isNamed && decisions.setups.length === 0) throw notFound('setup not found')
  const number = samplingNumber(ids.traceId)
  const page = decisions.setups.slice(0, range.limit)
  const span = found.view.toSpan()
  const told = { view: found.view, role: spanRole(span, spanFields(span)), samplingNumber: number, nowMs }
  const last = page.at(-1)
  return {
    view: found.view,
    environment: decisions.environment,
    receivedAtMs: decisions.receivedAtMs,
    samplingNumber: number,
    isJudgeCall: explainRules([], found.view).isJudgeCall,
    setups: page.map((decision) => explainSetup(decision, decisions, told)),
    ...(decisions.setups.length > page.length && last ? { nextAfter: last.setupId } : {}),
  }
}

function explainSetup(
  decision: SetupDecision,
  span: SpanDecisions,
  { view, ...told }: Pick<EntryFacts, 'role' | 'samplingNumber' | 'nowMs'> & { readonly view: SpanView },
): SetupExplanation {
  const standing = standingOf(decision)
  const rules = decision.decidedBy && explainRules(decision.decidedBy.selector, view)
  if (standing !== 'decided' || !rules || !decision.decidedBy) {
    return {
      decision,
      standing,
      entries: [],
      summary: `not scored: ${standingInWords(standing, decision, span)}`,
    }
  }
  const facts = {
    ...{ decision, isMatched: decision.isMatched, ...told },
    awaitsContent: awaitsContent(view.toSpan(), view.contents?.length ?? 0),
  }
  const entries = decision.decidedBy.evaluators.map((evaluator) => explainEntry(evaluator, facts))
  return { decision, standing, rules, entries, summary: summaryOf(decision, rules, entries) }
}

function standingOf({ isOfSameEnvironment, decidedBy, isGone }: SetupDecision): SetupStanding {
  if (!isOfSameEnvironment) return 'other_environment'
  if (decidedBy) return 'decided'
  return isGone ? 'deleted_before' : 'created_later'
}

function standingInWords(
  standing: SetupStanding,
  { createdAtMs, deletedAtMs, environment }: SetupDecision,
  span: SpanDecisions,
): string {
  const arrival = `the span arrived at ${timeOf(span.receivedAtMs)}`
  if (standing === 'other_environment') {
    return `the setup belongs to environment ${environment}, the span came to ${span.environment}`
  }
  if (standing === 'deleted_before') {
    return deletedAtMs === undefined
      ? `the setup was deleted and not yet restored when ${arrival}`
      : `the setup was deleted at ${timeOf(deletedAtMs)}, before ${arrival}`
  }
  const deletion = deletedAtMs === undefined ? '' : ` and deleted at ${timeOf(deletedAtMs)}`
  return `the setup was created after the span arrived: it was created at ${timeOf(createdAtMs)}${deletion}, and ${arrival}`
}

function summaryOf(
  decision: SetupDecision,
  rules: SelectorExplanation,
  entries: readonly EntryExplanation[],
): string {
  return `${verdict(decision, rules, entries)}${sinceThen(decision)}`
}

function verdict(
  { isMatched, isBackfilled }: SetupDecision,
  rules: SelectorExplanation,
  entries: readonly EntryExplanation[],
): string {
  const failed = failedRulesInWords(rules)
  if (!isMatched) {
    return `not scored: ${failed ?? 'the rules hold now, but when the span arrived it was decided that they do not'}`
  }
  const parts = entries.map(({ slug, reason }) => `${slug}: ${reason}`)
  const isScored = entries.some(({ outcome }) => outcome === 'scored')
  const how = isBackfilled ? 'matched by a backfill' : 'matched'
  return `${how} and ${isScored ? 'scored' : 'not scored'}: ${parts.join('; ')}`
}

function sinceThen({ deletedAtMs, decidedBy, currentVersion }: SetupDecision): string {
  if (deletedAtMs !== undefined) return `. The setup was deleted at ${timeOf(deletedAtMs)}`
  const isChanged = decidedBy !== undefined && decidedBy.version !== currentVersion
  return isChanged
    ? `. Version ${decidedBy.version} decided; the setup is at version ${currentVersion} now`
    : ''
}
