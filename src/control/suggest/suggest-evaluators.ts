import { recognizeApplication } from '../../domain/application/recognize-application.ts'
import type { EvaluationScope } from '../../domain/evaluator.ts'
import { EMBEDDED_JUDGE, EMBEDDED_QUALITY_MIN } from '../../domain/judgement.ts'
import type { SelectorRule } from '../../domain/selector.ts'
import { skippedBy } from '../../domain/selector-reach.ts'
import type { SetupEntry } from '../../domain/setup.ts'
import type { Principal } from '../../domain/tenant.ts'
import type { VerdictLabels } from '../../domain/verdict.ts'
import { builtInId } from '../../evaluators/catalogue.ts'
import { defined } from '../../lib/defined.ts'
import { type EstimateDeps, estimateEvaluations, type JudgeEstimate } from '../dry-run/estimate-judging.ts'
import { type EntryTrial, tryEntry } from '../dry-run/try-entry.ts'
import type { EntryEvaluator, FindEntryEvaluator } from '../entry-evaluators.ts'
import { type Candidate, candidatesFor } from './candidates.ts'
import { type Preview, previewUnits, type RunEvaluator, unitsOf } from './preview-units.ts'
import type { SampledApplication } from './sample-applications.ts'

/** Evaluators that are suggested for one application. */
const SUGGESTIONS_MAX = 8
/** Traces that a first backfill scores. */
export const BACKFILL_TRACES = 500
/** With more scored spans in a trace, on average, an answer is looked at through its trace and not call by call. */
const SPANS_PER_TRACE_MAX = 1.2
/** Stands in for a judge that is missing, to find out whether everything else is there. */
const ANY_JUDGE = 'any/judge'

/**
 * | state      | meaning                                                                   |
 * |------------|---------------------------------------------------------------------------|
 * | free       | runs in this service; its previews are scored                             |
 * | judged     | asks a provider, which costs money; its previews are not scored           |
 * | no_judge   | everything is there but a judge that could decide it                      |
 */
export type SuggestionState = 'free' | 'judged' | 'no_judge'

/** An evaluator that fits an application, tried on its own traces. */
export interface Suggestion {
  readonly entry: SetupEntry
  readonly state: SuggestionState
  readonly reason: string
  /** As binding chooses it. */
  readonly scope: EvaluationScope
  readonly judge?: string
  /** Evaluations a day, if every time is like the sampled one. */
  readonly evaluationsPerDay: number
  readonly perDay?: JudgeEstimate
  /** The use of the judge for the newest traces, as many as a first backfill scores. */
  readonly backfill?: JudgeEstimate
  readonly labels: VerdictLabels
  readonly previews: readonly Preview[]
}

/** The dependencies of suggesting. */
export interface SuggestDeps extends EstimateDeps {
  readonly run: RunEvaluator
}

/** The rule that selects the spans of an application; none where spans do not name it. */
export function selectorOf({ serviceName }: SampledApplication): readonly SelectorRule[] {
  if (serviceName === undefined) return []
  return [
    {
      key: 'service.name',
      source: 'resource_attributes',
      operator: 'equals',
      valueType: 'string',
      value: serviceName,
    },
  ]
}

/** Suggests evaluators whose inputs bind on the traces of an application, and scores a few of its answers with the free ones. */
export async function suggestEvaluators(
  deps: SuggestDeps,
  who: Principal,
  application: SampledApplication,
  context: {
    readonly find: FindEntryEvaluator
    /** Evaluators that setups have for these spans already. */
    readonly known: ReadonlySet<string>
    readonly tracesPerDay: number
    readonly signal: AbortSignal
  },
): Promise<Suggestion[]> {
  const { traits } = recognizeApplication(application.traces)
  const suggestions: Suggestion[] = []
  for (const candidate of candidatesFor(traits)) {
    if (context.known.has(candidate.slug) || suggestions.length === SUGGESTIONS_MAX) continue
    const tried = tryCandidate(candidate, application, context.find)
    if (tried) suggestions.push(await complete(deps, who, application, tried, context))
  }
  const order: readonly SuggestionState[] = ['free', 'judged', 'no_judge']
  return suggestions.sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
}

interface TriedCandidate {
  readonly candidate: Candidate
  readonly entry: SetupEntry
  readonly found: EntryEvaluator
  readonly state: SuggestionState
  readonly trial: EntryTrial & { readonly scope: EvaluationScope }
}

/** Binds a candidate as the processing of setups would; undefined when its inputs are not there. */
function tryCandidate(
  candidate: Candidate,
  application: SampledApplication,
  find: FindEntryEvaluator,
): TriedCandidate | undefined {
  const entry: SetupEntry = {
    slug: candidate.slug,
    evaluatorId: builtInId(candidate.slug),
    override: {
      ...(answersByTrace(candidate, application) && { scope: 'trace' as const }),
      ...(candidate.mapping && { mapping: candidate.mapping }),
    },
    status: 'pending',
  }
  const configured = find(entry)
  if (!configured) return undefined
  const state = stateOf(configured)
  const found = state === 'no_judge' ? { ...configured, judge: ANY_JUDGE } : configured
  const skips = skippedBy(selectorOf(application))
  const trial = tryEntry(entry, found, {
    skips,
    samples: application.spans.map(({ span }) => span),
    spans: application.spans,
    traces: unitsOf(application, 'trace', skips),
  })
  if (trial.errorMessage !== undefined || trial.scope === undefined) return undefined
  return { candidate, entry, found, state, trial: { ...trial, scope: trial.scope } }
}

/**
 * Whether an answer takes several spans, so that only the trace is one answer. With a mapping of its own an evaluator skips no spans of
 * frameworks, which repeat the texts of the calls.
 */
function answersByTrace({ unit, mapping }: Candidate, application: SampledApplication): boolean {
  if (unit !== 'answer') return false
  const skips = mapping ? undefined : skippedBy(selectorOf(application))
  const spans = unitsOf(application, 'span', skips)
  return spans.length > SPANS_PER_TRACE_MAX * application.traces.length
}

function stateOf({ evaluator, judge }: EntryEvaluator): SuggestionState {
  const { judging } = evaluator
  if (!judging) return 'free'
  if (judge === undefined) return 'no_judge'
  if (judge !== EMBEDDED_JUDGE) return 'judged'
  // A monitor abstains with an embedded judge that was not measured to be good.
  return (judging.embeddedQuality?.balancedAccuracy ?? 0) >= EMBEDDED_QUALITY_MIN ? 'free' : 'no_judge'
}

async function complete(
  deps: SuggestDeps,
  who: Principal,
  application: SampledApplication,
  { candidate, entry, found, state, trial }: TriedCandidate,
  { tracesPerDay, signal }: { readonly tracesPerDay: number; readonly signal: AbortSignal },
): Promise<Suggestion> {
  const skips = skippedBy(selectorOf(application))
  const units = unitsOf(application, trial.scope, skips)
  const { checked = 0, missing = 0 } = trial.inputs ?? {}
  const share = checked > 0 ? (checked - missing) / checked : 1
  const perTrace = (units.length * share) / Math.max(1, application.traces.length)
  const isJudged = state === 'judged'
  const estimate = async (traces: number) =>
    isJudged ? estimateEvaluations(deps, who, trial, traces * perTrace) : undefined
  return {
    entry,
    state,
    reason: candidate.reason,
    scope: trial.scope,
    labels: found.evaluator.verdict.labels,
    evaluationsPerDay: Math.round(tracesPerDay * perTrace),
    ...defined({
      judge: isJudged ? trial.judge : undefined,
      perDay: await estimate(tracesPerDay),
      backfill: await estimate(BACKFILL_TRACES),
    }),
    previews: await previewUnits(
      { entry, found, scope: trial.scope, skips, isFree: state === 'free' },
      units,
      (input) => deps.run(who, entry.slug, { input }, signal),
    ),
  }
}
