import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { ButtonLink } from '../../ui/button-link.tsx'
import { ErrorNote } from '../../ui/feedback.tsx'
import { formatCompact, formatCount } from '../../ui/format.ts'
import { Card } from '../../ui/page.tsx'
import { SuggestionRow } from './suggestion-row.tsx'
import { acceptWords, backfillTraces } from './suggestion-words.ts'
import { useAcceptSuggestions } from './use-accept-suggestions.ts'
import type { Application, Suggestion, Suggestions } from './use-suggestions.ts'

interface ApplicationCardProps {
  readonly application: Application
  readonly suggestions: Suggestions
}

/** One application: what it is, evaluators to choose, and the button that creates their setup and scores the last traces. */
export function ApplicationCard({ application, suggestions }: ApplicationCardProps) {
  const [chosen, setChosen] = useState(() => new Set(namesOf(application, 'free')))
  const traces = backfillTraces(suggestions, application)
  const accept = useAcceptSuggestions(application, suggestions.backfill_traces)
  const picked = application.suggestions.filter(({ evaluator_type: slug }) => chosen.has(slug))
  const toggle = (slug: string) => {
    const next = new Set(chosen)
    if (!next.delete(slug)) next.add(slug)
    setChosen(next)
  }
  const title = application.service_name ?? 'Your application'
  return (
    <Card title={title} className="suggested">
      <p className="suggested-sentence">{application.sentence}</p>
      <p className="quiet">
        {`Seen in ${formatCount(application.traces_sampled, 'recent trace')}, about ${formatCompact(application.traces_per_day)} a day. `}
        {application.setups.length > 0 ? `Scored by ${application.setups.join(', ')} already. ` : null}
        These evaluators have everything they need in your spans.
      </p>
      <ul className="suggested-list" aria-label={`Evaluators for ${title}`}>
        {application.suggestions.map((suggestion) => (
          <SuggestionRow
            key={suggestion.evaluator_type}
            suggestion={suggestion}
            isChosen={chosen.has(suggestion.evaluator_type)}
            onToggle={() => toggle(suggestion.evaluator_type)}
          />
        ))}
      </ul>
      {accept.error ? <ErrorNote error={accept.error} /> : null}
      <div className="row suggested-actions">
        <Button
          variant="primary"
          isBusy={accept.isPending}
          disabled={picked.length === 0}
          onClick={() => accept.mutate(picked)}
        >
          {acceptWords(picked, traces, suggestions.backfill_traces)}
        </Button>
        <ButtonLink to={editorAddress(picked.map((one) => one.evaluator_type))}>Edit first</ButtonLink>
        <span className="quiet small">
          {picked.length === 0
            ? 'Choose at least one evaluator.'
            : `Creates the setup ${application.external_id}. New traces are scored as they arrive.`}
        </span>
      </div>
    </Card>
  )
}

function namesOf({ suggestions }: Application, state: Suggestion['state']): string[] {
  return suggestions.filter((one) => one.state === state).map((one) => one.evaluator_type)
}

function editorAddress(slugs: readonly string[]): string {
  return `/setups/new?${new URLSearchParams(slugs.map((slug) => ['evaluator', slug]))}`
}
