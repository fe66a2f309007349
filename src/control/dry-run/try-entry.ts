import type { EvaluationScope } from '../../domain/evaluator.ts'
import { asksProvider } from '../../domain/monitor.ts'
import type { SetupEntry } from '../../domain/setup.ts'
import type { ReadableSpan } from '../../evaluators/kit/span-inputs.ts'
import { defined } from '../../lib/defined.ts'
import type { Span } from '../../lib/otlp/span.ts'
import { bindEntry, draftOf, scopeOf } from '../bind-entry.ts'
import type { EntryEvaluator } from '../entry-evaluators.ts'
import { type CheckedInputs, checkInputs } from './check-inputs.ts'

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
}

/** Binds an entry as the processing of setups would, and takes its inputs out of the units it looks at. */
export function tryEntry(
  entry: SetupEntry,
  found: EntryEvaluator | undefined,
  samples: readonly Span[],
  /** The spans, or the traces of them, for an entry that looks at traces. */
  units: readonly ReadableSpan[],
): EntryTrial {
  const { slug, override } = entry
  const binding = bindEntry(entry, samples, found, units)
  const trial = {
    slug,
    samplingRate: override.samplingRate ?? 1,
    ...('errorMessage' in binding ? { errorMessage: binding.errorMessage } : {}),
  }
  if (!found) return trial
  const scope = scopeOf(entry, found, samples)
  const draft = draftOf(entry, found, scope)
  if ('faults' in draft) return { ...trial, scope }
  const judge = asksProvider(draft.plan) ? draft.plan.judge : undefined
  return {
    ...trial,
    scope,
    ...defined({ judge }),
    inputs: checkInputs(draft.inputs, units),
  }
}
