/** The result of one check. */
export interface CheckResult {
  /** The subject of the check, as a noun. */
  readonly name: string
  /** The number of things checked. */
  readonly checked: number
  /** The unit, singular and plural. */
  readonly unit: readonly [one: string, several: string]
  readonly faults: readonly Fault[]
}

/** One kind of fault. */
export interface Fault {
  readonly count: number
  /** The fault, in words that follow the count. */
  readonly words: string
  readonly repaired: number
  readonly isRepairable: boolean
  /** A few of them, by name. */
  readonly examples: readonly string[]
}

/** The result of a pass over the whole store. */
export interface VerifyReport {
  readonly checks: readonly CheckResult[]
  /** Things that are wrong, and how many of them are not any more. */
  readonly wrong: number
  readonly repaired: number
}

const number = new Intl.NumberFormat('en-US')

/** The report as lines for people. */
export function reportLines({ checks, wrong, repaired }: VerifyReport): string[] {
  const lines = checks.flatMap(({ name, checked, unit, faults }) => [
    `${faults.length === 0 ? 'ok   ' : 'WRONG'}  ${name}: ${number.format(checked)} ${unit[checked === 1 ? 0 : 1]}`,
    ...faults.flatMap(faultLines),
  ])
  return [...lines, '', summary(wrong, repaired, checks)]
}

function faultLines({ count, words, repaired, isRepairable, examples }: Fault): string[] {
  const what =
    repaired > 0
      ? `repaired ${number.format(repaired)}`
      : isRepairable
        ? 'can be repaired'
        : 'cannot be repaired'
  return [
    `         ${number.format(count)} ${words}; ${what}`,
    ...examples.map((example) => `           ${example}`),
  ]
}

function summary(wrong: number, repaired: number, checks: readonly CheckResult[]): string {
  if (wrong === 0) return 'The store is sound.'
  const left = wrong - repaired
  const found = `${number.format(wrong)} ${wrong === 1 ? 'fault' : 'faults'} found, ${number.format(repaired)} repaired.`
  if (left === 0) return `${found} Run "assay verify" again to see that none is left.`
  const canRepair = checks.some(({ faults }) =>
    faults.some((fault) => fault.isRepairable && fault.repaired < fault.count),
  )
  return canRepair && repaired === 0
    ? `${found} "assay verify --repair" repairs what can be derived from the stored spans.`
    : `${found} What is left cannot be derived from anything in the store: restore it from a backup, or delete it.`
}
