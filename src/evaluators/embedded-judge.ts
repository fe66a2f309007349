import { EMBEDDED_QUALITY_MIN, type EmbeddedQuality } from '../domain/judgement.ts'
import { NoVerdict } from '../domain/no-verdict.ts'
import type { AnyEvaluator } from './kit/define-evaluator.ts'

/**
 * The permitted use of the embedded judge for judged evaluators where no provider is configured. `answers`: whatever it
 * can, for a person who asked and sees how good it is. `scores when good`: for monitors, only where it was measured to be
 * good enough.
 */
export type EmbeddedUse = 'answers' | 'scores when good'

/** The evaluator as the embedded judge runs it; unchanged where no judge is needed or the embedded one cannot help. */
export function withEmbeddedJudge(evaluator: AnyEvaluator, use: EmbeddedUse): AnyEvaluator {
  const { judging, slug } = evaluator
  if (!judging?.embedded) return evaluator
  if (scoresEmbedded(evaluator, use)) {
    return { ...evaluator, evaluate: judging.embedded }
  }
  const reason = abstention(slug, judging.embeddedQuality)
  return { ...evaluator, evaluate: () => Promise.reject(new NoVerdict('abstained', reason)) }
}

/** Whether a monitor of this evaluator gets scores from the embedded judge. */
export function scoresEmbedded({ judging }: AnyEvaluator, use: EmbeddedUse): boolean {
  return judging?.embedded !== undefined && (use === 'answers' || isGoodEnough(judging.embeddedQuality))
}

/** The evaluator where there is no judge at all: it answers what its code can decide, and says how to get a judge else. */
export function withoutJudge(evaluator: AnyEvaluator): AnyEvaluator {
  const { judging, slug } = evaluator
  if (!judging) return evaluator
  const refuse = () => Promise.reject(noJudge(slug))
  const nobody = { ask: refuse, generate: refuse, note() {} }
  return { ...evaluator, evaluate: (call) => judging.ask({ ...call, judge: nobody }) }
}

function noJudge(slug: string): NoVerdict {
  return new NoVerdict(
    'not_configured',
    `${slug} needs a judge and none is configured: set ASSAY_JUDGE_MODEL and the key of its provider, for example ` +
      'ASSAY_JUDGE_MODEL=openai/gpt-4o and OPENAI_API_KEY, or ASSAY_JUDGE_BASE_URL for a server of your own',
  )
}

/** How good the embedded judge is, in words for a header; the same words wherever it is told. */
export function qualityInWords(quality: EmbeddedQuality | undefined): string {
  if (!quality) return 'unmeasured'
  return `balanced accuracy ${quality.balancedAccuracy.toFixed(2)} on ${quality.measuredOn}`
}

function isGoodEnough(quality: EmbeddedQuality | undefined): boolean {
  return quality !== undefined && quality.balancedAccuracy >= EMBEDDED_QUALITY_MIN
}

function abstention(slug: string, quality: EmbeddedQuality | undefined): string {
  const measured = quality ? `its ${qualityInWords(quality)}` : 'it was never measured'
  return (
    `the embedded judge is not good enough for ${slug} (${measured}, ${EMBEDDED_QUALITY_MIN} is needed): ` +
    'configure a judge with ASSAY_JUDGE_MODEL, or set ASSAY_EMBEDDED_JUDGE=always'
  )
}
