import type { Judge, PromptPart } from '../../ports/judge.ts'
import { ChunkIndex, chunksOf } from '../local/chunks.ts'
import { type JudgedItem, judgeItems } from './judge-items.ts'
import { ITEMS_PER_QUESTION, SOURCE_CHARS_PER_QUESTION } from './limits.ts'

/** The relation of a source to a statement. */
export const SUPPORT_VERDICTS = ['supported', 'contradicted', 'not_mentioned'] as const
export type SupportVerdict = (typeof SUPPORT_VERDICTS)[number]

/** Statements and the text that they are looked up in. */
export interface SupportQuestion {
  /** Names the prompt and its version, `faithfulness/verify@1`. */
  readonly prompt: string
  readonly statements: readonly string[]
  readonly source: string
  /** The name of the source in the question; `source` when absent. */
  readonly sourceLabel?: string
  /** Further material needed to understand the statements; data. */
  readonly material?: readonly Exclude<PromptPart, string>[]
  /** A rule to heed beside the meaning of the verdicts. */
  readonly remark?: string
}

const TASK = [
  'For each item decide what the source says about it.',
  'supported: the source says it, or it follows from what the source says without any outside knowledge.',
  'contradicted: the source says something that cannot be true at the same time.',
  'not_mentioned: the source says neither.',
  'Every part of an item must hold: a wrong number, date, name, place, negation, degree of certainty, or who did what to ' +
    'whom makes it contradicted, an added detail makes it not_mentioned.',
].join('\n')

/**
 * The verdict of a source on each statement, with a quote that was found in the source. A source that is too long for
 * one question is asked about in parts, the most promising first, until a statement is decided or the source has
 * ended.
 */
export async function verifyStatements(
  judge: Judge,
  question: SupportQuestion,
): Promise<JudgedItem<SupportVerdict>[]> {
  const { statements, source } = question
  if (source.trim() === '') return statements.map(nothingSaid)
  if (source.length <= SOURCE_CHARS_PER_QUESTION) return verifyPart(judge, question, statements, source)
  const index = new ChunkIndex(chunksOf(source))
  const groups = Array.from({ length: Math.ceil(statements.length / ITEMS_PER_QUESTION) }, (_, at) =>
    statements.slice(at * ITEMS_PER_QUESTION, (at + 1) * ITEMS_PER_QUESTION),
  )
  return (await Promise.all(groups.map((group) => verifyInParts(judge, question, group, index)))).flat()
}

async function verifyInParts(
  judge: Judge,
  question: SupportQuestion,
  statements: readonly string[],
  index: ChunkIndex,
): Promise<JudgedItem<SupportVerdict>[]> {
  const decided = new Map<string, JudgedItem<SupportVerdict>>()
  let open = [...statements]
  for (const part of index.partsFor(statements, SOURCE_CHARS_PER_QUESTION)) {
    for (const item of await verifyPart(judge, question, open, part)) decided.set(item.item, item)
    open = open.filter((statement) => decided.get(statement)?.verdict === 'not_mentioned')
    if (open.length === 0) break
  }
  return statements.map((statement) => decided.get(statement) ?? nothingSaid(statement))
}

function verifyPart(
  judge: Judge,
  { prompt, sourceLabel = 'source', material = [], remark }: SupportQuestion,
  items: readonly string[],
  source: string,
): Promise<JudgedItem<SupportVerdict>[]> {
  return judgeItems(judge, {
    prompt,
    task: remark === undefined ? TASK : `${TASK}\n${remark}`,
    material: [...material, { label: sourceLabel, data: source }],
    items,
    verdicts: SUPPORT_VERDICTS,
    evidence: { verdicts: ['supported', 'contradicted'], source, otherwise: 'not_mentioned' },
  })
}

function nothingSaid(item: string): JudgedItem<SupportVerdict> {
  return { item, verdict: 'not_mentioned', quote: '', reason: 'the source is empty' }
}
