import type { Judge } from '../../ports/judge.ts'
import { judgeItems } from '../judged/judge-items.ts'
import { requireLength } from '../judged/limits.ts'
import { splitStatements } from '../judged/split-statements.ts'
import { splitSentences } from '../local/sentences.ts'
import { findTextChecks, meetsChecks } from '../text-checks/find-text-checks.ts'

/** The texts that are judged. */
export interface Adherence {
  readonly instructions: string
  readonly response: string
}

/** The verdict on one instruction, and whether code or a judge decided it. */
interface JudgedInstruction {
  readonly instruction: string
  readonly isFollowed: boolean
  readonly by: 'code' | 'judge'
  readonly quote?: string
  readonly reason?: string
}

const INSTRUCTIONS = [
  'A statement is here one instruction: a single demand on the response that it can meet or fail, such as what it is to be',
  'about, what it must contain or leave out, its form, length, order, style or language. Take demands apart that can be',
  'met one without the other. Background, reasons, greetings and texts that are only given to be worked on, such as a',
  'passage to be summarised, hold no instructions.',
].join(' ')

const TASK = [
  'Each item is an instruction. Decide whether the response follows it.',
  'followed: it does, completely; quote the words of the response that show it.',
  'nothing_against: the instruction only forbids something, and the response has nothing of it.',
  'not_followed: it does not, or only in part, or it answers another question than the one that was asked.',
].join('\n')

/** The share of the instructions that are followed. Nothing to follow is followed; an empty response follows nothing. */
export async function judgeInstructions(input: Adherence, judge: Judge): Promise<number> {
  requireLength({ instructions: input.instructions, response: input.response })
  const sentences = splitSentences(input.instructions)
  if (sentences.length === 0) return 1
  if (input.response.trim() === '') return 0
  const listed = await listInstructions(sentences, input, judge)
  const decided = new Map<string, JudgedInstruction>()
  for (const instruction of listed) {
    const isFollowed = decideInCode(instruction, input.response)
    if (isFollowed !== undefined) decided.set(instruction, { instruction, isFollowed, by: 'code' })
  }
  for (const item of await askAboutRest(
    listed.filter((instruction) => !decided.has(instruction)),
    input,
    judge,
  ))
    decided.set(item.instruction, item)
  const judged = listed.flatMap((instruction) => decided.get(instruction) ?? [])
  judge.note('instructions', judged)
  return judged.length === 0 ? 1 : judged.filter(({ isFollowed }) => isFollowed).length / judged.length
}

/** Sentences that code can verify to the end are instructions as they stand; the judge takes the others apart. */
async function listInstructions(
  sentences: readonly string[],
  { instructions }: Adherence,
  judge: Judge,
): Promise<string[]> {
  const mechanical = sentences.filter((sentence) => findTextChecks(sentence).isWholly)
  const rest = sentences.filter((sentence) => !mechanical.includes(sentence))
  if (rest.length === 0) return [...new Set(mechanical)]
  const listed = await splitStatements(judge, {
    prompt: 'instruction-adherence/instructions@1',
    text: rest.join('\n'),
    material: [{ label: 'all instructions', data: instructions }],
    what: INSTRUCTIONS,
  })
  return [...new Set([...mechanical, ...listed])]
}

/**
 * The verdict that code alone can give: a demand that it can verify fails, or all of them hold and there is nothing
 * else in the instruction. Undefined where a judge has to read it.
 */
export function decideInCode(instruction: string, response: string): boolean | undefined {
  const { checks, isWholly } = findTextChecks(instruction)
  if (checks.length === 0) return undefined
  const meets = meetsChecks(response, checks)
  if (meets === false) return false
  return isWholly ? meets : undefined
}

async function askAboutRest(
  items: readonly string[],
  { instructions, response }: Adherence,
  judge: Judge,
): Promise<JudgedInstruction[]> {
  if (items.length === 0) return []
  const judged = await judgeItems(judge, {
    prompt: 'instruction-adherence/follow@1',
    task: TASK,
    material: [
      { label: 'all instructions', data: instructions },
      { label: 'response', data: response },
    ],
    items,
    verdicts: ['followed', 'nothing_against', 'not_followed'],
    evidence: { verdicts: ['followed'], source: response, otherwise: 'not_followed' },
  })
  return judged.map(({ item, verdict, quote, reason }) => ({
    instruction: item,
    isFollowed: verdict !== 'not_followed',
    by: 'judge',
    quote,
    reason,
  }))
}
