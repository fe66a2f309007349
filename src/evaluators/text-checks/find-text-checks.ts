import { countChecks } from './count-checks.ts'
import { formChecks } from './form-checks.ts'
import { keywordChecks } from './keyword-checks.ts'
import { languageChecks } from './language-checks.ts'
import type { TextCheck } from './text-check.ts'

/** How much of an instruction is looked at, in characters. */
const READ_CHARS_MAX = 2_000

// Words that carry no demand of their own once the demand is taken out.
const FRAME = new Set(
  `the a an your you i it its this that is are be must should shall will need needs to have has please make sure ensure keep
  write written answer answers answered respond responds response reply replies say state give provide produce generate output
  return use uses using used include includes contain contains text whole entire final every each all in with and of for as by
  from only just do does not don t no never always result summary agent assistant bot model trajectory turn message word words
  letter letters so format form style long length short at most than more less fewer`.split(/\s+/),
)

/** The checks that code finds in an instruction. */
export interface ReadInstruction {
  readonly checks: readonly TextCheck[]
  /** Whether the instruction demands nothing beside what the checks verify. */
  readonly isWholly: boolean
}

/** The demands of one instruction that code can verify, and whether that is all of it. */
export function findTextChecks(instruction: string): ReadInstruction {
  if (instruction.length > READ_CHARS_MAX) return { checks: [], isWholly: false }
  const found = [
    ...keywordChecks(instruction),
    ...countChecks(instruction),
    ...formChecks(instruction),
    ...languageChecks(instruction),
  ]
  // A quoted keyword is data: what it says is no demand.
  const checks = found.filter(
    (check, at) => !found.slice(0, at).some(({ from, to }) => from <= check.from && check.to <= to),
  )
  return { checks, isWholly: checks.length > 0 && isFrame(instruction, checks) }
}

function isFrame(instruction: string, checks: readonly TextCheck[]): boolean {
  let rest = instruction
  for (const { from, to } of checks) rest = rest.slice(0, from) + ' '.repeat(to - from) + rest.slice(to)
  return (rest.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).every((word) => FRAME.has(word))
}

/** Whether a text meets all checks: false when one fails, undefined when none fails but one cannot tell. */
export function meetsChecks(text: string, checks: readonly TextCheck[]): boolean | undefined {
  const outcomes = checks.map(({ holds }) => holds(text))
  if (outcomes.includes(false)) return false
  return outcomes.includes(undefined) ? undefined : true
}
