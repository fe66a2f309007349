import type { Setup } from './setup-definition.ts'

/** All states of a setup, in the order in which it goes through them. */
export const SETUP_STATUSES = [
  { value: 'pending', label: 'Pending' },
  { value: 'in_progress', label: 'In progress' },
  { value: 'waiting_for_spans', label: 'Waiting for spans' },
  { value: 'completed', label: 'Completed' },
  { value: 'partial', label: 'Partial' },
  { value: 'failed', label: 'Failed' },
] as const

/** Why a setup is in its state, in a sentence. */
export function statusReason({ status, evaluators }: Setup): string | undefined {
  const failed = evaluators.filter((entry) => entry.status === 'failed').length
  switch (status) {
    case 'pending':
      return 'Queued to be processed.'
    case 'in_progress':
      return 'Mapping the inputs of its evaluators to span fields.'
    case 'waiting_for_spans':
      return 'No matching spans yet. It continues when they arrive.'
    case 'partial':
      return `${failed} of ${evaluators.length} evaluators could not start.`
    case 'failed':
      return 'No evaluator could start.'
    case 'completed':
      return undefined
  }
}

/**
 * Why an evaluator cannot start, for people who have the form: the service also says how the body of a request would have to
 * look, which is for those who write it by hand.
 */
export function bindingErrorWords(message: string): string {
  return message
    .replaceAll(/, for example \{.*?\}(?=; |$)/gs, '')
    .replaceAll('map it in evaluator_configs[].mapping', 'say where it comes from')
    .replaceAll('map them in evaluator_configs[].mapping', 'say where they come from')
    .replaceAll(': give it in evaluator_configs[].config', '')
    .replaceAll('in evaluator_configs[].mapping map them', 'map them')
    .replaceAll('evaluator_configs[].mapping', 'the settings of its inputs')
}
