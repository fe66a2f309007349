import { invalidInput } from '../../lib/public-error.ts'
import type { Judge } from '../../ports/judge.ts'
import { judgeItems } from '../judged/judge-items.ts'
import { requireLength } from '../judged/limits.ts'
import { splitStatements } from '../judged/split-statements.ts'
import { isNoncommittal } from '../local/noncommittal.ts'

/** The texts that are scored. */
export interface TopicInput {
  readonly question: string
  readonly completion: string
  readonly reference_topics: string
}

const TASK = [
  'The items are the statements of an answer. Decide for each whether it is within one of the allowed topics.',
  'within: what it says belongs to an allowed topic, also when it does not name the topic. The quote is the name of that topic.',
  'outside: it belongs to none of them.',
  'Whether it is true, useful or answers the question does not matter here.',
].join('\n')

/** The topics by name; at least one. */
export function topicsOf({ question, completion, reference_topics }: TopicInput): string[] {
  requireLength({ question, completion, reference_topics })
  const topics = reference_topics
    .split(/[,;\n]/)
    .map((topic) => topic.trim())
    .filter((topic) => /[\p{L}\p{N}]/u.test(topic))
  if (topics.length === 0) throw invalidInput('input.reference_topics must name at least one topic')
  return topics
}

/** The share of the statements that are within the topics; an answer that states nothing leaves no topic. */
export async function askAboutTopics(judge: Judge, input: TopicInput): Promise<number> {
  const topics = topicsOf(input)
  if (isNoncommittal(input.completion)) return 1
  const question = { label: 'question', data: input.question }
  const statements = await splitStatements(judge, {
    prompt: 'topic-adherence/statements@1',
    text: input.completion,
    material: [question],
  })
  const judged = await judgeItems(judge, {
    prompt: 'topic-adherence/within@1',
    task: TASK,
    material: [question, { label: 'allowed topics', data: topics.join('\n') }],
    items: statements,
    verdicts: ['within', 'outside'],
    evidence: {
      verdicts: ['within'],
      source: topics.join('\n'),
      otherwise: 'outside',
      about:
        'The name of the allowed topic that the item is within, copied letter by letter; empty when there is none.',
    },
  })
  judge.note('statements', judged)
  if (judged.length === 0) return 1
  const within = judged.filter(({ verdict }) => verdict === 'within').length
  return Number((within / judged.length).toFixed(4))
}
