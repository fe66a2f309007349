import type { EvaluationScope } from '../../domain/evaluator.ts'
import { asksProvider } from '../../domain/monitor.ts'
import type { SetupEntry } from '../../domain/setup.ts'
import { isSkipped, type SkippedSpans, type SpanRole, spanRole } from '../../domain/span-role.ts'
import type { ReadableSpan } from '../../evaluators/kit/span-inputs.ts'
import { defined } from '../../lib/defined.ts'
import type { Span } from '../../lib/otlp/span.ts'
import { bindEntry, draftOf, scopeOf } from '../bind-entry.ts'
import type { EntryEvaluator } from '../entry-evaluators.ts'
import { type CheckedInputs, checkInputs } from './check-inputs.ts'
import type { Fix } from './find-fixes.ts'

/** The expected results of one evaluator. */
export interface EntryTrial {
  readonly slug: string
  /** The scope of one evaluation; absent when the evaluator is gone. */
  readonly scope?: EvaluationScope
  /** Why it would get no monitor, in the words of the processing of setups. */
  readonly errorMessage?: string
  readonly samplingRate: number
  /** The judge to ask; absent where no provider is. */
  readonly judge?: string
  /** The inputs that the units give it; absent when no unit could bind it. */
  readonly inputs?: CheckedInputs
  /** Changes after which it would get a monitor; absent where it does, or where none was found. */
  readonly fixes?: readonly Fix[]
  /** How many of the spans that were read would be left out, by what they are; absent: none. */
  readonly skipped?: Readonly<Partial<Record<SpanRole, number>>>
}

/** The units that an entry is tried on. */
export interface TrialUnits {
  /** Spans that the selector lets monitors skip. */
  readonly skips: SkippedSpans | undefined
  /** Matching spans that it is bound with. */
  readonly samples: readonly Span[]
  /** Matching spans that inputs are taken out of. */
  readonly spans: readonly ReadableSpan[]
  /** Traces of matching spans; absent while only spans are looked at. */
  readonly traces?: readonly ReadableSpan[]
}

/** Binds an entry as the processing of setups would, and takes its inputs out of the units it looks at. */
export function tryEntry(
  entry: SetupEntry,
  found: EntryEvaluator | undefined,
  { skips, samples, spans, traces = [] }: TrialUnits,
): EntryTrial {
  const { slug, override } = entry
  const binding = bindEntry(entry, samples, found, traces, skips)
  const trial = {
    slug,
    samplingRate: override.samplingRate ?? 1,
    ...('errorMessage' in binding ? { errorMessage: binding.errorMessage } : {}),
  }
  if (!found) return trial
  const scope = 'plan' in binding ? binding.plan.scope : scopeOf(entry, found, samples)
  const draft = draftOf(entry, found, scope, skips)
  if ('faults' in draft) return { ...trial, scope }
  const judge = asksProvider(draft.plan) ? draft.plan.judge : undefined
  const { units, skipped }: SortedUnits =
    scope === 'span' ? sortOut(spans, draft.plan.skips) : { units: traces }
  return { ...trial, scope, ...defined({ judge, skipped }), inputs: checkInputs(draft.inputs, units) }
}

type SortedUnits = { readonly units: readonly ReadableSpan[] } & Pick<EntryTrial, 'skipped'>

/** The spans that would be scored, and how many of the others there are. */
function sortOut(spans: readonly ReadableSpan[], skips: SkippedSpans | undefined): SortedUnits {
  if (skips === undefined) return { units: spans }
  const skipped: Partial<Record<SpanRole, number>> = {}
  const units = spans.filter(({ span, fields }) => {
    const role = spanRole(span, fields)
    if (!isSkipped(role, skips)) return true
    skipped[role] = (skipped[role] ?? 0) + 1
    return false
  })
  return { units, ...(units.length < spans.length ? { skipped } : {}) }
}
