import { formatCount } from '../../ui/format.ts'
import type { InboxItem, Review } from './inbox-queries.ts'

/** True when the reviewer agrees with the verdict of the evaluator. */
export const agreesWith = (review: Review, { evaluation }: InboxItem) => review.verdict === evaluation.verdict

/** The opinions on an evaluation in one line; nothing where there are none that may be shown. */
export function answerWords(item: InboxItem): string | undefined {
  const { answer, others = [] } = item
  const own = answer ? (agreesWith(answer, item) ? 'You agree' : 'You disagree') : undefined
  const [first] = others
  const theirs =
    others.length === 1 && first
      ? `${first.reviewer || 'Somebody'} ${agreesWith(first, item) ? 'agrees' : 'disagrees'}`
      : others.length > 1
        ? `${formatCount(others.filter((review) => agreesWith(review, item)).length, 'other')} of ${others.length} agree`
        : undefined
  const words = [own, theirs].filter((part) => part !== undefined)
  return words.length === 0 ? undefined : words.join('. ')
}
