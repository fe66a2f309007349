import { NoVerdict } from '../../domain/no-verdict.ts'
import type { GeneratedText } from '../../ports/judge.ts'

/**
 * How unsure a text is by its most surprising token: 1 - exp(-s), where s is the largest surprisal, the negative natural
 * logarithm of a token's probability. That is 1 minus the probability of the least likely token: 0 where every token was
 * certain, close to 1 where one was hardly more than a guess.
 */
export function measureUncertainty({ logprobs }: GeneratedText): number {
  if (logprobs.length === 0)
    throw new NoVerdict('unparseable', 'the model gave no log-probabilities, so its uncertainty is not known')
  if (logprobs.some((logprob) => Number.isNaN(logprob)))
    throw new NoVerdict('unparseable', 'the model gave a log-probability that is no number')
  const surprisal = logprobs.reduce((most, logprob) => Math.max(most, -logprob), 0)
  return 1 - Math.exp(-surprisal)
}
