import { NoVerdict } from '../../domain/no-verdict.ts'
import { invalidInput } from '../../lib/public-error.ts'
import type { Judge } from '../../ports/judge.ts'
import { requireLength } from '../judged/limits.ts'
import { splitStatements } from '../judged/split-statements.ts'
import { verifyStatements } from '../judged/verify-statements.ts'

/** The texts that are scored. */
export interface GoalInput {
  readonly question: string
  readonly completion: string
  readonly reference: string
}

const OUTCOMES =
  'A statement is one fact about the outcome that must be reached: what is done, for whom, when, where, how many. What the text ' +
  'only mentions in passing is not a statement.'
const REMARK =
  'The source is what an agent answered, the items are what it should have reached. An item is supported only by what the ' +
  'agent says it has done or found out. A plan, an offer, a question or a promise is not an outcome. Something more exact ' +
  'than the item supports it: a named Italian restaurant supports "an Italian restaurant".'

/** Refuses a reference that names no outcome. */
export function requireGoal({ question, completion, reference }: GoalInput): void {
  requireLength({ question, completion, reference })
  if (!/[\p{L}\p{N}]/u.test(reference)) throw invalidInput('input.reference must describe an outcome')
}

/** The share of the reference's outcome facts that the agent's answer shows as reached. */
export async function askAboutGoal(judge: Judge, input: GoalInput): Promise<number> {
  requireGoal(input)
  const { question, completion, reference } = input
  if (completion.trim() === '') return 0
  const material = [{ label: 'request', data: question }]
  const outcomes = await splitStatements(judge, {
    prompt: 'agent-goal-accuracy/outcomes@1',
    text: reference,
    material,
    what: OUTCOMES,
  })
  if (outcomes.length === 0) throw new NoVerdict('unparseable', 'the judge found no outcome in the reference')
  const judged = await verifyStatements(judge, {
    prompt: 'agent-goal-accuracy/reached@1',
    statements: outcomes,
    source: completion,
    material,
    remark: REMARK,
  })
  judge.note('outcomes', judged)
  const reached = judged.filter(({ verdict }) => verdict === 'supported').length
  return Number((reached / judged.length).toFixed(4))
}
