import * as z from 'zod'
import type { Judgement } from '../../../domain/judgement.ts'

/** The use of the judge and the evidence for the verdict. */
export const judgementOutput = z
  .object({
    calls: z.int().describe('Calls of the provider that were answered.'),
    cached_calls: z.int().describe('Questions that had been answered before.'),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    cost_usd: z.number().optional().describe('Absent where the price of the model is not known.'),
    evidence: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('What the verdict rests on: statements with their verdicts and quotes, for example.'),
    replaced: z
      .record(z.string(), z.int())
      .optional()
      .describe('Pieces of personal data and secrets that were replaced before anything was sent, by kind.'),
  })
  .meta({ id: 'Judgement' })

/** A judgement in the form of the wire. */
export function toWireJudgement(judgement: Judgement): z.output<typeof judgementOutput> {
  const { costMicros, evidence, replaced } = judgement
  return {
    calls: judgement.calls,
    cached_calls: judgement.cachedCalls,
    prompt_tokens: judgement.promptTokens,
    completion_tokens: judgement.completionTokens,
    ...(costMicros === undefined ? {} : { cost_usd: costMicros / 1e6 }),
    ...(evidence === undefined ? {} : { evidence: { ...evidence } }),
    ...(replaced === undefined ? {} : { replaced: { ...replaced } }),
  }
}
