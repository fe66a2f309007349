import { type ModelRef, parseModelName } from '../../domain/judgement.ts'
import type { ProjectTenant } from '../../domain/tenant.ts'
import { defined } from '../../lib/defined.ts'
import type { StoredEvaluation } from '../../ports/result-storage.ts'
import type { Storage } from '../../ports/storage.ts'
import type { CheckedInputs } from './check-inputs.ts'
import type { DryRunResult } from './dry-run-count.ts'
import type { EntryTrial } from './try-entry.ts'

/** Recent evaluations that say what one costs. */
const RECENT_MAX = 100
/** A token of a text of everyday language, in bytes; only where no evaluation says better. */
const BYTES_PER_TOKEN = 4
/**
 * Tokens of a question besides its inputs, and tokens of an answer; used only where no evaluation gives better numbers.
 */
const INSTRUCTION_TOKENS = 400
const ANSWER_TOKENS = 200

/** The cost of a model's tokens, in millionths of a US dollar; undefined when the price is not known. */
export interface ModelCosts {
  costOf(
    model: ModelRef,
    usage: { readonly promptTokens: number; readonly completionTokens: number },
  ): number | undefined
}

/** The expected use of a judge by one evaluator in a day. */
export interface JudgeEstimate {
  /**
   * `recent_evaluations`: the means of what the same evaluator took with the same judge in this project. `input_lengths`:
   * one call for each unit, tokens by the lengths of the inputs.
   */
  readonly basis: 'recent_evaluations' | 'input_lengths'
  readonly evaluations: number
  readonly calls: number
  readonly promptTokens: number
  readonly completionTokens: number
  /** Absent when the price is not known, which is not the same as 0. */
  readonly costMicros?: number
}

/** The dependencies of an estimate. */
export interface EstimateDeps {
  readonly storage: Pick<Storage, 'listEvaluations'>
  readonly costs: ModelCosts
}

type PerUnit = Pick<JudgeEstimate, 'basis' | 'calls' | 'promptTokens' | 'completionTokens'>

/** Estimates, by slug, what the entries that ask a provider would ask in a day. An entry that cannot be estimated is left out. */
export async function estimateJudging(
  { storage, costs }: EstimateDeps,
  tenant: ProjectTenant,
  result: DryRunResult & { readonly matchedPerDay?: number },
): Promise<Map<string, JudgeEstimate>> {
  const estimates = new Map<string, JudgeEstimate>()
  for (const entry of result.entries) {
    const evaluations = evaluationsPerDay(result, entry)
    const estimate =
      evaluations === undefined
        ? undefined
        : await estimateEvaluations({ storage, costs }, tenant, entry, evaluations)
    if (estimate) estimates.set(entry.slug, estimate)
  }
  return estimates
}

/** Estimates what so many evaluations of an entry would ask its judge; undefined where no provider is asked, or nothing is known. */
export async function estimateEvaluations(
  { storage, costs }: EstimateDeps,
  tenant: ProjectTenant,
  entry: EntryTrial,
  evaluations: number,
): Promise<JudgeEstimate | undefined> {
  const { slug, judge } = entry
  if (judge === undefined) return undefined
  const unit = (await recentUnit(storage, tenant, slug, judge)) ?? unitByLengths(entry)
  if (!unit) return undefined
  const promptTokens = Math.round(evaluations * unit.promptTokens)
  const completionTokens = Math.round(evaluations * unit.completionTokens)
  const costMicros = costs.costOf(parseModelName(judge), { promptTokens, completionTokens })
  return {
    basis: unit.basis,
    evaluations: Math.round(evaluations),
    calls: Math.round(evaluations * unit.calls),
    promptTokens,
    completionTokens,
    ...defined({ costMicros }),
  }
}

/** Units in a day that pass the sampling and have all inputs. */
function evaluationsPerDay(
  { matchedPerDay, matched, matchedTraces }: DryRunResult & { readonly matchedPerDay?: number },
  { samplingRate, inputs, scope, skipped = {} }: EntryTrial,
): number | undefined {
  // How many traces make a conversation is not known.
  if (matchedPerDay === undefined || scope === 'session') return undefined
  const share = inputs ? shareWithInputs(inputs, Object.values(skipped)) : 1
  if (scope === 'span') return matchedPerDay * samplingRate * share
  if (matchedTraces === undefined) return undefined
  return matched === 0 ? 0 : (matchedPerDay / matched) * matchedTraces * samplingRate * share
}

/** The share of units that have all inputs, among those that were read; spans that are skipped are read too. */
function shareWithInputs({ checked, missing }: CheckedInputs, skipped: readonly number[]): number {
  const read = skipped.reduce((sum, count) => sum + count, checked)
  return read > 0 ? (checked - missing) / read : 1
}

async function recentUnit(
  storage: Pick<Storage, 'listEvaluations'>,
  tenant: ProjectTenant,
  slug: string,
  judge: string,
): Promise<PerUnit | undefined> {
  const { evaluations } = await storage.listEvaluations(
    tenant,
    { slug, status: 'scored' },
    { order: 'newest', limit: RECENT_MAX },
  )
  // Answers from the cache cost nothing the second time, and another input would not have been in it.
  const asked = evaluations.filter(
    (one): one is StoredEvaluation & Required<Pick<StoredEvaluation, 'judgement'>> =>
      one.judge === judge && one.judgement !== undefined && one.judgement.cachedCalls === 0,
  )
  if (asked.length === 0) return undefined
  const mean = (of: (judgement: (typeof asked)[number]['judgement']) => number) =>
    asked.reduce((sum, { judgement }) => sum + of(judgement), 0) / asked.length
  return {
    basis: 'recent_evaluations',
    calls: mean(({ calls }) => calls),
    promptTokens: mean(({ promptTokens }) => promptTokens),
    completionTokens: mean(({ completionTokens }) => completionTokens),
  }
}

function unitByLengths({ inputs }: EntryTrial): PerUnit | undefined {
  if (inputs?.bytesMean === undefined) return undefined
  return {
    basis: 'input_lengths',
    calls: 1,
    promptTokens: INSTRUCTION_TOKENS + inputs.bytesMean / BYTES_PER_TOKEN,
    completionTokens: ANSWER_TOKENS,
  }
}
