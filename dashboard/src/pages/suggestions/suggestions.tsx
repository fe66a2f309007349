import { Loading } from '../../ui/feedback.tsx'
import { ApplicationCard } from './application-card.tsx'
import { useSuggestions } from './use-suggestions.ts'
import './suggestions.css'

interface SuggestionsProps {
  /** Shown while no application was seen. */
  readonly fallback?: React.ReactNode
}

/** Each application that sent traces, with evaluators that fit it. Shows nothing about applications that have them all. */
export function SuggestionList({ fallback = null }: SuggestionsProps) {
  const suggestions = useSuggestions()
  if (suggestions.isPending) return <Loading lines={6} label="Looking at your traces" />
  const found = suggestions.data
  const open = found?.applications.filter(({ suggestions: some }) => some.length > 0) ?? []
  if (!found || open.length === 0) return fallback
  return (
    <div className="stack" aria-live="polite">
      {open.map((application) => (
        <ApplicationCard key={application.service_name ?? ''} application={application} suggestions={found} />
      ))}
    </div>
  )
}
