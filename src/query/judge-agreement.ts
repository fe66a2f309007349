import {
  type Agreement,
  type AgreementKind,
  agreementOf,
  type JudgedPair,
  kindOf,
} from '../domain/agreement.ts'
import type { EvaluationOutput } from '../domain/evaluation.ts'
import { VERDICT_PROPERTY } from '../domain/verdict.ts'
import type { VerdictPair } from '../ports/annotation-storage.ts'

/** How far a monitor and people agree on one field of its output. */
export interface PropertyAgreement {
  readonly property: string
  readonly kind: AgreementKind
  readonly pairs: number
  /** Absent when there are too few pairs. */
  readonly agreement?: Agreement
}

/** How far a monitor and people agree. */
export interface MonitorAgreement {
  readonly properties: readonly PropertyAgreement[]
  /** Pairs whose two sides are of different kinds, such as a yes and a number. */
  readonly incomparable: number
}

/**
 * Compares what people said with what a monitor said. An annotation is held against the field of the output that has its name,
 * or else against the first field of its own kind. A review is held against the verdict.
 */
export function compareVerdicts(verdicts: readonly VerdictPair[]): MonitorAgreement {
  const groups = new Map<string, { property: string; kind: AgreementKind; pairs: JudgedPair[] }>()
  let incomparable = 0
  for (const { annotation, ...said } of verdicts) {
    const output = annotation.name === VERDICT_PROPERTY ? verdictOutput(said) : said.output
    const kind = kindOf(annotation.value)
    const property = kind && propertyOf(output, annotation.name, kind)
    if (!kind || property === undefined) {
      incomparable++
      continue
    }
    const key = JSON.stringify([property, kind])
    const group = groups.get(key) ?? { property, kind, pairs: [] }
    groups.set(key, group)
    // Both are of the kind, which is what was looked for.
    group.pairs.push({ judge: output[property], human: annotation.value } as JudgedPair)
  }
  const properties = [...groups.values()].map(({ property, kind, pairs }) => {
    const agreement = agreementOf(kind, pairs)
    return { property, kind, pairs: pairs.length, ...(agreement && { agreement }) }
  })
  return { properties: properties.sort((left, right) => right.pairs - left.pairs), incomparable }
}

/** The verdict as a field of an output, which a review is held against; none where it judges nothing. */
function verdictOutput({ verdict }: Pick<VerdictPair, 'verdict'>): EvaluationOutput {
  return verdict === undefined || verdict === 'neutral' ? {} : { [VERDICT_PROPERTY]: verdict === 'pass' }
}

function propertyOf(output: EvaluationOutput, name: string, kind: AgreementKind): string | undefined {
  if (Object.hasOwn(output, name)) return kindOf(output[name]) === kind ? name : undefined
  return Object.keys(output).find((field) => kindOf(output[field]) === kind)
}
