import type { MonitorVersion } from '../domain/monitor.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import { findBuiltIn } from '../evaluators/catalogue.ts'
import { customEvaluatorOf } from '../evaluators/kit/custom-evaluator.ts'
import type { AnyEvaluator } from '../evaluators/kit/define-evaluator.ts'
import { compileSpanInputs, SHARED_REGEX_MS_MAX } from '../evaluators/kit/span-inputs.ts'
import { PublicError } from '../lib/public-error.ts'
import type { ContentStorage } from '../ports/content-storage.ts'
import type { EvaluationDetail } from '../ports/result-storage.ts'
import type { SpanStorage } from '../ports/span-storage.ts'
import type { Storage } from '../ports/storage.ts'
import type { TraceStorage } from '../ports/trace-storage.ts'
import { readUnit } from './read-unit.ts'

/** The inputs of an evaluation, or the reason why they are no longer known. */
export type ShownInput = { readonly input: Readonly<Record<string, string>> } | { readonly reason: string }

/**
 * Reads the input of an evaluation again: from the stored spans, through the mapping of the version that evaluated them.
 * Inputs are not stored beside the result, so they go when their spans go.
 */
export async function showInput(
  storage: SpanStorage & TraceStorage & ContentStorage & Pick<Storage, 'findCustomEvaluator'>,
  tenant: ProjectTenant,
  evaluation: EvaluationDetail,
): Promise<ShownInput> {
  const { monitorVersion, scope } = evaluation
  const evaluator = await evaluatorOf(storage, tenant, monitorVersion)
  if (!evaluator) return { reason: `the evaluator ${monitorVersion.slug} is not there any more` }
  const unit = await readUnit(storage, tenant, evaluation)
  if ('reason' in unit) return unit
  try {
    const found = compileSpanInputs(evaluator, monitorVersion.mapping, {
      regexMsMax: SHARED_REGEX_MS_MAX,
    }).read(unit.from)
    return 'input' in found ? found : { reason: `the ${scope} has no ${found.missing.join(', ')}` }
  } catch (error) {
    // A pattern of the mapping that takes too long on this unit; the evaluation itself had more time.
    if (error instanceof PublicError) return { reason: error.message }
    throw error
  }
}

async function evaluatorOf(
  storage: Pick<Storage, 'findCustomEvaluator'>,
  tenant: ProjectTenant,
  { evaluatorId, evaluatorVersion }: MonitorVersion,
): Promise<AnyEvaluator | undefined> {
  const builtIn = findBuiltIn(evaluatorId)
  if (builtIn) return builtIn
  const custom = await storage.findCustomEvaluator(tenant, evaluatorId, String(evaluatorVersion))
  return custom && customEvaluatorOf(custom)
}
