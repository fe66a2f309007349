import { Badge } from '../../ui/badge.tsx'
import { formatPercent } from '../../ui/format.ts'
import type { Evaluator, Judges } from './evaluator-types.ts'

type Measured = Judges['embedded']['evaluators'][number]

/** A badge for a missing, embedded or custom judge; nothing where the configured provider judges. */
export function JudgeBadge({ evaluator, judges }: { evaluator: Evaluator; judges: Judges | undefined }) {
  if (evaluator.method !== 'judge' || !judges) return null
  if (evaluator.source === 'custom') return <Badge>{modelOf(evaluator)}</Badge>
  if (judges.judge === null) return <Badge tone="warn">No judge</Badge>
  if (judges.judge !== 'embedded') return null
  const accuracy = measuredOf(evaluator, judges)?.balanced_accuracy
  if (typeof accuracy !== 'number') return <Badge tone="warn">Embedded judge, unmeasured</Badge>
  return <Badge>{`Embedded judge, ${formatPercent(accuracy)} accurate`}</Badge>
}

/** The same in sentences, with what the number means and what monitors do. */
export function judgeWords(evaluator: Evaluator, judges: Judges): string | undefined {
  if (evaluator.method !== 'judge') return undefined
  if (evaluator.source === 'custom') return customWords(evaluator, judges)
  if (judges.judge === null)
    return 'No judge is configured for this organization, so it answers only cases that code can decide. Connect a judge under Settings, Judges.'
  if (judges.judge !== 'embedded') return `${judges.judge} judges for this organization.`
  const measured = measuredOf(evaluator, judges)
  return `${embeddedWords(measured)} ${
    measured?.scores_in_monitors
      ? 'Monitors score with it.'
      : 'Monitors do not score with it: connect a judge under Settings, Judges, for that.'
  }`
}

function embeddedWords(measured: Measured | undefined): string {
  if (typeof measured?.balanced_accuracy !== 'number')
    return 'The embedded judge decides. Its accuracy was not measured, so take its answers as a hint.'
  const share = formatPercent(measured.balanced_accuracy)
  return `The embedded judge decides. Its balanced accuracy on held-out rows is ${share}; guessing gives 50%.`
}

function customWords(evaluator: Evaluator, { providers }: Judges): string {
  const provider = evaluator.config?.provider ?? ''
  const known = providers.find((candidate) => candidate.provider === provider)
  if (!known)
    return `${modelOf(evaluator)} judges, but there is no key for ${provider} yet. Store one under Settings.`
  if (known.state === 'failing') return `${modelOf(evaluator)} judges. ${provider} is failing at the moment.`
  return `${modelOf(evaluator)} judges.`
}

function measuredOf({ slug }: Evaluator, { embedded }: Judges): Measured | undefined {
  return embedded.evaluators.find(({ evaluator_type }) => evaluator_type === slug)
}

function modelOf({ config }: Evaluator): string {
  return `${config?.provider ?? ''}/${config?.llm_config.model ?? ''}`
}
