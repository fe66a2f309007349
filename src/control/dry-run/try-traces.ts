import { skippedBy } from '../../domain/selector-reach.ts'
import { spanFields } from '../../domain/span-fields/span-fields.ts'
import type { ProjectTenant } from '../../domain/tenant.ts'
import { defined } from '../../lib/defined.ts'
import { asksForTraces, looksAtTraces } from '../bind-entry.ts'
import { entryEvaluatorsOf } from '../entry-evaluators.ts'
import { sampleTraces, type TraceReading } from '../sample-traces.ts'
import type { DryRunPlan, DryRunResult } from './dry-run-count.ts'
import { FIXES_MAX, type Fix, findFixes } from './find-fixes.ts'
import { type EntryTrial, tryEntry } from './try-entry.ts'

/**
 * Tries the entries that look at whole traces, or may where spans alone do not bind them, on the traces of a few matching spans, as the processing of setups does: the
 * spans of a trace may lie in any batch, so that going over batches is not enough. The other entries stay as they are.
 */
export async function tryTraceEntries(
  storage: TraceReading,
  tenant: ProjectTenant,
  { entries, evaluators, selector }: DryRunPlan,
  { traceSamples, entries: trials }: DryRunResult,
  throughBatch: number,
): Promise<readonly EntryTrial[]> {
  const find = entryEvaluatorsOf(evaluators)
  const isAsking = entries.map((entry, at) => {
    const isUnbound = trials[at]?.errorMessage !== undefined
    return looksAtTraces(entry, find(entry)) || (isUnbound && asksForTraces(entry, find(entry)))
  })
  // Those that ask for spans may still be told that their traces would do.
  if (!isAsking.includes(true) && trials.every(({ errorMessage }) => errorMessage === undefined))
    return trials
  const traces = await sampleTraces(storage, tenant, traceSamples, throughBatch)
  const units = {
    skips: skippedBy(selector),
    samples: traceSamples,
    spans: traceSamples.map((span) => ({ span, fields: spanFields(span) })),
    traces,
  }
  return entries.map((entry, at) => {
    const trial = trials[at] as EntryTrial
    if (!isAsking[at]) return withFixes(trial, findFixes(entry, find(entry), units, trial))
    const onTraces = tryEntry(entry, find(entry), units)
    // Where the traces do not help either, the spans that were looked at tell more than the few of these traces.
    const tried =
      onTraces.scope === 'span' ? { ...trial, ...defined({ errorMessage: onTraces.errorMessage }) } : onTraces
    return withFixes(tried, findFixes(entry, find(entry), units, tried))
  })
}

/** The changes that traces make possible stand before those that were found on spans. */
function withFixes(trial: EntryTrial, fixes: readonly Fix[]): EntryTrial {
  if (trial.errorMessage === undefined) {
    const { fixes: _, ...bound } = trial
    return bound
  }
  const labels = new Set(fixes.map(({ label }) => label))
  const all = [...fixes, ...(trial.fixes ?? []).filter(({ label }) => !labels.has(label))]
  return all.length === 0 ? trial : { ...trial, fixes: all.slice(0, FIXES_MAX) }
}
