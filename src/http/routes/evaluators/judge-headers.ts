import { qualityInWords } from '../../../evaluators/embedded-judge.ts'
import type { EvaluationAnswer } from '../../../pipeline/execute/execute-evaluation.ts'

/** Longest name of a judge in a header: clients refuse answers whose headers are very long. */
const NAME_CHARS_MAX = 256

/** Names who judged. */
export const JUDGE_HEADER = 'x-assay-judge'
/** Tells how good the embedded judge was measured to be. */
export const JUDGE_QUALITY_HEADER = 'x-assay-judge-quality'

/**
 * Says in the headers who judged: `provider/model`, `embedded`, or `none` where the code of a judged evaluator could
 * decide by itself. Nothing where the evaluator never needs a judge.
 */
export function tellJudge(
  { judgement, quality }: EvaluationAnswer,
  setHeader: (name: string, value: string) => void,
): void {
  if (!judgement) return
  setHeader(JUDGE_HEADER, headerText(judgement.judge ?? 'none'))
  if (judgement.judge === 'embedded') setHeader(JUDGE_QUALITY_HEADER, qualityInWords(quality))
}

/** The name of a model comes from a request or from a person and may hold any characters; a header may not. */
function headerText(name: string): string {
  return name
    .toWellFormed()
    .slice(0, NAME_CHARS_MAX)
    .toWellFormed()
    .replace(/[^ -~]/gu, encodeURIComponent)
    .slice(0, NAME_CHARS_MAX)
}
