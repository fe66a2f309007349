import type { JudgeName } from './judge-forms.ts'

/** The outcome of a judge: a score, or its own words for giving none. */
export type JudgeOutcome = { readonly score: number } | { readonly abstained: string }

/** A judge that is compared: it calls the model at its own address and judges one text. */
export interface Contestant {
  readonly name: JudgeName
  /** The part of the peer that was used, and its version. */
  readonly title: string
  judge(answer: string): Promise<JudgeOutcome>
}

/** The question that every judge is asked about. */
export const QUESTION = 'What is the capital of Norway?'
export const EXPECTED = 'Oslo'
/** The model that each of them names. */
export const MODEL = 'gpt-4o'
/** Longest time of one request where a judge can be told one, in milliseconds. */
export const REQUEST_MS_MAX = 2_000
/** Longest time of one evaluation where a judge can be told one, in milliseconds. */
export const EVALUATION_MS_MAX = 8_000
