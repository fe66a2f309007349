import type { ProjectTenant } from '../../domain/tenant.ts'
import { looksAtTraces } from '../bind-entry.ts'
import { entryEvaluatorsOf } from '../entry-evaluators.ts'
import { sampleTraces, type TraceReading } from '../sample-traces.ts'
import type { DryRunPlan, DryRunResult } from './dry-run-count.ts'
import { type EntryTrial, tryEntry } from './try-entry.ts'

/**
 * Tries the entries that look at whole traces on the traces of a few matching spans, as the processing of setups does: the
 * spans of a trace may lie in any batch, so that going over batches is not enough. The other entries stay as they are.
 */
export async function tryTraceEntries(
  storage: TraceReading,
  tenant: ProjectTenant,
  { entries, evaluators }: DryRunPlan,
  { traceSamples, entries: trials }: DryRunResult,
  throughBatch: number,
): Promise<readonly EntryTrial[]> {
  const find = entryEvaluatorsOf(evaluators)
  if (!entries.some((entry) => looksAtTraces(entry, find(entry)))) return trials
  const traces = await sampleTraces(storage, tenant, traceSamples, throughBatch)
  return entries.map((entry, at) => {
    const found = find(entry)
    const trial = trials[at] as EntryTrial
    return looksAtTraces(entry, found) ? tryEntry(entry, found, traceSamples, traces) : trial
  })
}
