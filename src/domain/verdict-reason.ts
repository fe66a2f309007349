import { oneLine } from '../lib/one-line.ts'
import type { EvaluationOutput } from './evaluation.ts'
import type { Judgement } from './judgement.ts'
import { failedCondition, type Verdict, type VerdictRule } from './verdict.ts'

/** Longest part of a reason, in characters. */
export const REASON_CHARS_MAX = 300
/** Items of the evidence that are looked at, and how deep they may lie. */
const ITEMS_MAX = 500
const DEPTH_MAX = 6

/** Why an evaluation ended as it did, in parts that can be read in a list. */
export interface VerdictReason {
  /** The first claim, instruction or step that the judge did not accept. */
  readonly claim?: string
  /** The words of the evaluator or of its judge; where nothing was scored, the message. */
  readonly text?: string
  /** The condition of the verdict rule that the output does not meet, with its value. Only for failures. */
  readonly rule?: string
}

/** The parts of an evaluation that a reason is taken from. */
export interface ReasonedEvaluation {
  readonly output?: EvaluationOutput
  readonly verdict?: Verdict
  readonly verdictRule?: VerdictRule
  readonly errorMessage?: string
  readonly judgement?: Pick<Judgement, 'evidence'>
}

/** Words of judges for an item that is as it should be. Every other word is against it. */
const ACCEPTED = new Set([
  ...[
    'supported',
    'followed',
    'nothing_against',
    'relevant',
    'fulfilled',
    'right',
    'correct',
    'worked',
    'needed',
  ],
  ...['covered', 'achieved', 'met', 'yes', 'answers', 'helps', 'within', 'same', 'next_step', 'small_talk'],
  ...['equivalent', 'there', 'advanced', 'remembers', 'consistent', 'fits'],
])

/** A judge's decision about one item of what it was asked. */
interface JudgedItem {
  readonly verdict: string
  readonly item?: unknown
  readonly reason?: unknown
}

/** The reason of an evaluation; undefined where nothing tells one. */
export function reasonOf(evaluation: ReasonedEvaluation): VerdictReason | undefined {
  const { output = {}, verdict, verdictRule, errorMessage, judgement } = evaluation
  const failed = verdict === 'fail' && verdictRule ? failedCondition(verdictRule, output) : undefined
  const item = verdict === 'fail' ? firstRejected(judgement?.evidence, ITEMS_MAX) : undefined
  const reason = {
    ...part('claim', item?.item),
    ...part('text', reasonField(output, failed?.field) ?? item?.reason ?? errorMessage),
    ...part('rule', failed?.words),
  }
  return Object.keys(reason).length === 0 ? undefined : reason
}

function part<Name extends keyof VerdictReason>(
  name: Name,
  text: unknown,
): { readonly [Key in Name]?: string } {
  const short = typeof text === 'string' ? oneLine(text, REASON_CHARS_MAX) : ''
  return short === '' ? {} : ({ [name]: short } as { [Key in Name]: string })
}

const REASON_NAMES = ['reason', 'explanation', 'rationale', 'justification', 'comment']

/** The text of an output that says why: the one beside the deciding field, or else the one that is named like a reason. */
function reasonField(output: EvaluationOutput, decidingField: string | undefined): string | undefined {
  const stem = decidingField?.replace(/_score$/, '')
  const names = [
    ...(stem === undefined ? [] : REASON_NAMES.map((name) => `${stem}_${name}`)),
    ...REASON_NAMES,
  ]
  const known = names.find((name) => isText(output[name]))
  const found =
    known ?? Object.keys(output).find((name) => /_(reason|explanation)$/.test(name) && isText(output[name]))
  return found === undefined ? undefined : (output[found] as string)
}

const isText = (value: unknown) => typeof value === 'string' && value.trim() !== ''

function firstRejected(evidence: unknown, itemsMax: number): JudgedItem | undefined {
  let left = itemsMax
  const find = (value: unknown, depth: number): JudgedItem | undefined => {
    if (typeof value !== 'object' || value === null || depth > DEPTH_MAX || left-- <= 0) return undefined
    const { verdict } = value as Partial<JudgedItem>
    if (typeof verdict === 'string') return ACCEPTED.has(verdict) ? undefined : (value as JudgedItem)
    for (const inner of Object.values(value)) {
      const found = find(inner, depth + 1)
      if (found) return found
    }
    return undefined
  }
  return find(evidence, 0)
}
