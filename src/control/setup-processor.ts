import type { MonitorPlan } from '../domain/monitor.ts'
import { skippedBy } from '../domain/selector-reach.ts'
import type { SetupEntry } from '../domain/setup.ts'
import type { SetupStatus } from '../domain/setup-status.ts'
import { awaitsContent } from '../domain/span-fields/awaits-content.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import { listUnits } from '../domain/unit-set.ts'
import { withThreshold } from '../domain/verdict.ts'
import { attachContents, idsOfSpans } from '../lib/otlp/attach-contents.ts'
import type { Span } from '../lib/otlp/span.ts'
import { unpackSpans } from '../lib/otlp/stored-spans.ts'
import { spread } from '../lib/spread.ts'
import type { Clock } from '../ports/clock.ts'
import type { IdSource } from '../ports/ids.ts'
import type { Logger } from '../ports/logger.ts'
import type { Storage } from '../ports/storage.ts'
import type { ClaimedSetup, EntryOutcome, MatchSample, SetupOutcome } from '../ports/work-storage.ts'
import { asksForTraces, bindEntry, carryOver, type EntryBinding } from './bind-entry.ts'
import { type EntryEvaluator, type EntryEvaluatorDeps, loadEntryEvaluators } from './entry-evaluators.ts'
import { sampleTraces } from './sample-traces.ts'

/** Setups that are taken at once. */
const CLAIM_MAX = 50
/** Long enough for the slowest look; a worker that dies gives them back after it, or at the next start. */
const LEASE_MS = 30_000
/** Batches and spans that one look at a setup reads, spread evenly over all that matched. */
const SAMPLE_BATCHES_MAX = 32
const SAMPLE_SPANS_MAX = 256
/** Bytes of these spans together, because they are decoded on the event loop; one span is read whatever its size. */
const SAMPLE_BYTES_MAX = 2_097_152

/** The dependencies of processing. */
export interface SetupProcessorDeps extends EntryEvaluatorDeps {
  readonly storage: Storage
  readonly clock: Clock
  readonly ids: IdSource
  readonly logger: Logger
  /** Matching spans that a setup waits for before its entries are bound. */
  readonly spansMin: number
  /** How long spans without messages wait for those that come as log events. */
  readonly contentWaitMs: number
  /** How long a setup is left alone after it was written. */
  readonly restMs: number
  /** Called when monitors have begun, with work waiting for them. */
  readonly onBound: () => void
}

/**
 * Takes the setups that have something to be processed and carries each one step further (see the states in
 * domain/setup-status). True when there may be more.
 */
export async function processSetups(deps: SetupProcessorDeps): Promise<boolean> {
  const claims = await deps.storage.work.claimSetups(CLAIM_MAX, LEASE_MS, deps.clock.nowMs() - deps.restMs)
  for (const claim of claims) {
    try {
      await processSetup(deps, claim)
    } catch (error) {
      // The others must not wait for this one; it is taken again when its lease has run out.
      deps.logger.error({ err: error, setup: claim.setup.id }, 'processing a setup failed')
    }
  }
  return claims.length > 0
}

async function processSetup(deps: SetupProcessorDeps, claim: ClaimedSetup): Promise<void> {
  const outcome = await decide(deps, claim)
  const isDone = await deps.storage.work.finishSetup(claim, outcome)
  if (isDone && outcome.entries.some((entry) => 'plan' in entry)) deps.onBound()
}

async function decide(deps: SetupProcessorDeps, claim: ClaimedSetup): Promise<SetupOutcome> {
  const open = claim.setup.entries.filter(({ status }) => status !== 'completed')
  const atMs = deps.clock.nowMs()
  // A file that is applied again unchanged binds to what it was bound to, without waiting for spans.
  const find = await loadEntryEvaluators(deps, claim.setup, open)
  const known = open.map((entry) => knownPlan(claim, entry, find(entry)))
  const sample = await deps.storage.work.sampleMatches(claim, SAMPLE_BATCHES_MAX)
  const isWaiting = claim.setup.status === 'in_progress' && sample.spanCount < deps.spansMin
  if (isWaiting && known.includes(undefined)) {
    return { status: 'waiting_for_spans', entries: [], lookedThrough: sample.through, atMs }
  }
  const spans = known.includes(undefined) ? await sampleSpans(deps.storage, claim.setup, sample) : []
  const skips = skippedBy(claim.setup.selector)
  const onSpans = open.map((entry, at) => {
    const plan = known[at]
    return plan ? { plan } : bindEntry(entry, spans, find(entry), [], skips)
  })
  const needsTraces = open.map(
    (entry, at) => 'errorMessage' in (onSpans[at] as EntryBinding) && asksForTraces(entry, find(entry)),
  )
  const traces = needsTraces.includes(true)
    ? await sampleTraces(deps.storage, claim.setup, spans, sample.batches.at(-1)?.batch.batchId ?? 0)
    : []
  const entries = open.map((entry, at): EntryOutcome => {
    const binding = needsTraces[at]
      ? bindEntry(entry, spans, find(entry), traces, skips)
      : (onSpans[at] as EntryBinding)
    const evaluator = find(entry)?.evaluator
    if ('plan' in binding && evaluator) {
      const verdictRule = withThreshold(evaluator.verdict, entry.override.verdictThreshold)
      return { slug: entry.slug, plan: binding.plan, newMonitorId: deps.ids.newId(), verdictRule }
    }
    if ('plan' in binding) throw new Error(`${entry.slug} was bound without an evaluator`)
    return { slug: entry.slug, ...binding }
  })
  const isBound = !entries.some((entry) => 'errorMessage' in entry)
  const isAwaited = !isBound && isContentAwaited(deps, sample, spans)
  const lookedThrough = isAwaited ? beginOf(sample) : sample.through
  return { status: statusOf(claim, entries), entries, lookedThrough, atMs }
}

/** Whether spans that could not bind an entry may still get their messages, as log events: then they are looked at again. */
function isContentAwaited(
  { clock, contentWaitMs }: SetupProcessorDeps,
  { batches }: MatchSample,
  spans: readonly Span[],
): boolean {
  const newestMs = Math.max(...batches.map(({ batch }) => batch.receivedAtMs))
  return clock.nowMs() - newestMs < contentWaitMs && spans.some((span) => awaitsContent(span, 0))
}

/** The last batch before all that were sampled. */
function beginOf({ batches }: MatchSample): number {
  return Math.min(...batches.map(({ batch }) => batch.batchId)) - 1
}

function knownPlan(
  { knownPlans }: ClaimedSetup,
  entry: SetupEntry,
  found: EntryEvaluator | undefined,
): MonitorPlan | undefined {
  const plan = knownPlans.get(entry.slug)
  // An entry that has failed since then is bound anew.
  if (!plan || !found || entry.status === 'failed') return undefined
  const isSame = plan.evaluatorVersion === found.version && plan.judge === found.judge
  return isSame ? plan : carryOver(entry, plan, found)
}

function statusOf(
  { setup }: ClaimedSetup,
  decided: readonly EntryOutcome[],
): SetupStatus & SetupOutcome['status'] {
  const failed = decided.filter((entry) => 'errorMessage' in entry).length
  if (failed === 0) return 'completed'
  return failed === setup.entries.length ? 'failed' : 'partial'
}

async function sampleSpans(
  storage: Pick<Storage, 'readContents'>,
  tenant: ProjectTenant,
  { batches }: MatchSample,
): Promise<Span[]> {
  const perBatch = Math.ceil(SAMPLE_SPANS_MAX / Math.max(batches.length, 1))
  const spans: Span[] = []
  let bytes = 0
  for (const { batch, units } of batches) {
    const views = await unpackSpans(batch)
    const chosen = spread(listUnits(units), perBatch).flatMap((ordinal) => views[ordinal] ?? [])
    attachContents(chosen, await storage.readContents(tenant, idsOfSpans(chosen)))
    for (const view of chosen) {
      bytes += view.end - view.start
      if (bytes > SAMPLE_BYTES_MAX && spans.length > 0) return spans
      spans.push(view.toSpan())
    }
  }
  return spans
}
