import type { MonitorVersion } from '../domain/monitor.ts'
import { spanFields } from '../domain/span-fields/span-fields.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import { findBuiltIn } from '../evaluators/catalogue.ts'
import { customEvaluatorOf } from '../evaluators/kit/custom-evaluator.ts'
import type { AnyEvaluator } from '../evaluators/kit/define-evaluator.ts'
import { compileSpanInputs, SHARED_REGEX_MS_MAX } from '../evaluators/kit/span-inputs.ts'
import { attachContents, idsOfSpans } from '../lib/otlp/attach-contents.ts'
import { unpackSpans } from '../lib/otlp/stored-spans.ts'
import { PublicError } from '../lib/public-error.ts'
import type { EvaluationDetail } from '../ports/result-storage.ts'
import type { SpanStorage } from '../ports/span-storage.ts'
import type { Storage } from '../ports/storage.ts'

/** The inputs of an evaluation, or the reason why they are no longer known. */
export type ShownInput = { readonly input: Readonly<Record<string, string>> } | { readonly reason: string }

/**
 * Reads the input of an evaluation again: from the stored batch, through the mapping of the version that evaluated it.
 * Inputs are not stored beside the result, so they go when their span goes.
 */
export async function showInput(
  storage: SpanStorage & Pick<Storage, 'findCustomEvaluator' | 'readContents'>,
  tenant: ProjectTenant,
  { batchId, ordinal, monitorVersion, spanId }: EvaluationDetail,
): Promise<ShownInput> {
  if (spanId === undefined) return { reason: 'the unit is more than one span: see GET /v2/traces/{trace_id}' }
  const evaluator = await evaluatorOf(storage, tenant, monitorVersion)
  if (!evaluator) return { reason: `the evaluator ${monitorVersion.slug} is not there any more` }
  const [batch] = await storage.readBatches(tenant, [batchId])
  const view = batch && (await unpackSpans(batch))[ordinal]
  if (!view) return { reason: 'the span is no longer kept' }
  attachContents([view], await storage.readContents(tenant, idsOfSpans([view])))
  const span = view.toSpan()
  try {
    const found = compileSpanInputs(evaluator, monitorVersion.mapping, {
      regexMsMax: SHARED_REGEX_MS_MAX,
    }).read({ span, fields: spanFields(span) })
    return 'input' in found ? found : { reason: `the span has no ${found.missing.join(', ')}` }
  } catch (error) {
    // A pattern of the mapping that takes too long on this span; the evaluation itself had more time.
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
