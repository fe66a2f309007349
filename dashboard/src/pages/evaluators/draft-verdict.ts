import type { components } from '../../api/schema.gen.ts'
import type { DraftField } from './judge-draft.ts'

type VerdictInput = components['schemas']['VerdictRuleInput']

/** Comparisons of a number, in the words of the form. */
export const COMPARISONS = [
  { value: 'at_least', label: 'is at least' },
  { value: 'at_most', label: 'is at most' },
  { value: 'above', label: 'is greater than' },
  { value: 'below', label: 'is less than' },
] as const
export type Comparison = (typeof COMPARISONS)[number]['value']

/** The rule for good answers while it is being written. It keeps its values while another answer is tried. */
export interface DraftVerdict {
  readonly isNeutral: boolean
  /** The deciding answer, by its id in the draft: it may get another name. Undefined: the service chooses. */
  readonly fieldId: number | undefined
  readonly isTrue: boolean
  readonly compare: Comparison
  readonly threshold: number | undefined
  /** Good values of a text, one a line. */
  readonly goodText: string
  readonly passLabel: string
  readonly failLabel: string
}

/** The draft of a rule that was stored; without one, a draft that leaves the choice to the service. */
export function draftVerdict(stored: VerdictInput | undefined, outputs: readonly DraftField[]): DraftVerdict {
  const compare = COMPARISONS.find(({ value }) => stored?.[value] !== undefined)?.value ?? 'at_least'
  return {
    isNeutral: stored?.neutral === true,
    fieldId: outputs.find(({ name }) => name === stored?.property)?.id,
    isTrue: stored?.is ?? true,
    compare,
    threshold: stored?.[compare],
    goodText: (stored?.one_of ?? []).join('\n'),
    passLabel: stored?.pass_label ?? '',
    failLabel: stored?.fail_label ?? '',
  }
}

/** The answer that decides; undefined where none was chosen, or it was taken away since. */
export function decidingField(
  { fieldId }: DraftVerdict,
  outputs: readonly DraftField[],
): DraftField | undefined {
  return outputs.find(({ id }) => id === fieldId)
}

/** The rule as it is sent; undefined leaves the choice to the service. */
export function verdictBodyOf(
  verdict: DraftVerdict,
  outputs: readonly DraftField[],
): VerdictInput | undefined {
  const [pass, fail] = [verdict.passLabel.trim(), verdict.failLabel.trim()]
  const labels = { ...(pass ? { pass_label: pass } : {}), ...(fail ? { fail_label: fail } : {}) }
  if (verdict.isNeutral) return { neutral: true, ...labels }
  const field = decidingField(verdict, outputs)
  return field && { property: field.name.trim(), ...conditionOf(verdict, field.type), ...labels }
}

function conditionOf(
  { isTrue, compare, threshold, goodText }: DraftVerdict,
  type: DraftField['type'],
): VerdictInput {
  if (type === 'boolean') return { is: isTrue }
  if (type === 'int' || type === 'float') return threshold === undefined ? {} : { [compare]: threshold }
  return { one_of: goodText.split('\n').filter((line) => line.trim() !== '') }
}
