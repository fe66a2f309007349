import * as z from 'zod'
import type { EvaluationOutput } from '../../../domain/evaluation.ts'
import { type Verdict, type VerdictRule, verdictOf } from '../../../domain/verdict.ts'
import { qualityInWords } from '../../../evaluators/embedded-judge.ts'
import type { EvaluationAnswer } from '../../../pipeline/execute/execute-evaluation.ts'
import { toWireVerdict, verdictFields } from '../evaluations/evaluation-wire.ts'
import { judgementOutput, toWireJudgement } from '../evaluations/judgement-wire.ts'

/** The answer of an evaluator with everything that is known about it. */
export const triedFields = {
  output: z.record(z.string(), z.unknown()).describe("The evaluator's own answer, as executing gives it."),
  ...verdictFields,
  judge: z
    .string()
    .optional()
    .describe('Who judged: `provider/model`, `embedded`, or `none`; absent where no judge is needed.'),
  judge_quality: z.string().optional().describe('How good the embedded judge was measured to be.'),
  judgement: judgementOutput.optional().describe('Absent where no judge was needed.'),
  duration_ms: z.number(),
}

/** An answer in the form of the wire, judged by a rule. */
export function toWireTried(answer: EvaluationAnswer, rule: VerdictRule, durationMs: number) {
  const { output, judgement, quality } = answer
  const verdict: Verdict = verdictOf(rule, output as EvaluationOutput)
  return {
    output,
    ...toWireVerdict({ verdict, verdictRule: rule }),
    ...(judgement ? { judge: judgement.judge ?? 'none', judgement: toWireJudgement(judgement) } : {}),
    ...(judgement?.judge === 'embedded' ? { judge_quality: qualityInWords(quality) } : {}),
    duration_ms: Math.round(durationMs * 10) / 10,
  }
}
