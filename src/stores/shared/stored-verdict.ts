import type { UnitOutcome } from '../../domain/evaluation.ts'
import { type Verdict, type VerdictRule, verdictOf } from '../../domain/verdict.ts'

/** Verdicts as they are stored. Pass and fail count as 1 and 0, so that their mean is the share that passed. */
export const STORED_VERDICT = { fail: 0, pass: 1, neutral: 2 } as const satisfies Record<Verdict, number>
export type StoredVerdict = (typeof STORED_VERDICT)[Verdict]

const NAMES = new Map<number, Verdict>(
  Object.entries(STORED_VERDICT).map(([name, number]) => [number, name as Verdict]),
)

/** The verdict that a column holds. */
export function toVerdict(stored: number): Verdict {
  const name = NAMES.get(stored)
  if (name === undefined) throw new Error(`${stored} is no verdict`)
  return name
}

/** The value that rollups count; undefined where a verdict does not judge. */
export function countedVerdict(stored: number | null): number | undefined {
  return stored === STORED_VERDICT.pass || stored === STORED_VERDICT.fail ? stored : undefined
}

/** The verdict on an outcome by the stored rule of its monitor; null where there is nothing to judge, or no rule yet. */
export function judgeOutcome(
  rule: string | null,
  { status, output }: Pick<UnitOutcome, 'status' | 'output'>,
): StoredVerdict | null {
  if (rule === null || status !== 'scored' || output === undefined) return null
  return STORED_VERDICT[verdictOf(parseRule(rule), output)]
}

/** Rules that are kept in their parsed form; a store has as many as it has monitors, and most of them are alike. */
const PARSED_MAX = 1_000
const parsed = new Map<string, VerdictRule>()

/** A rule from its stored form. */
export function parseRule(text: string): VerdictRule {
  const known = parsed.get(text)
  if (known) return known
  if (parsed.size >= PARSED_MAX) parsed.clear()
  const rule: VerdictRule = JSON.parse(text)
  parsed.set(text, rule)
  return rule
}
