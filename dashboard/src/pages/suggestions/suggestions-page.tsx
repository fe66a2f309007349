import { ButtonLink } from '../../ui/button-link.tsx'
import { EmptyState } from '../../ui/feedback.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { SendSpans } from '../../ui/send-spans.tsx'
import { useQueryState } from '../../ui/time-range.ts'
import { SuggestionProgress } from './suggestion-progress.tsx'
import { SuggestionList } from './suggestions.tsx'
import { useSuggestions } from './use-suggestions.ts'

/** Suggestions for every application, and the progress of one that was accepted, which stands in the address. */
export default function SuggestionsPage() {
  const [query] = useQueryState()
  const [externalId, jobId] = [query.get('setup'), query.get('job')]
  return (
    <Page
      title="Suggestions"
      lead="Evaluators that fit the traces you send, tried on your own answers."
      actions={<ButtonLink to="/setups/new">Create a setup yourself</ButtonLink>}
    >
      {externalId && jobId ? (
        <Card title={`Scoring with ${externalId}`}>
          <SuggestionProgress externalId={externalId} jobId={jobId} />
        </Card>
      ) : null}
      <SuggestionList fallback={<Nothing />} />
    </Page>
  )
}

function Nothing() {
  const { data } = useSuggestions()
  if (data && data.applications.length > 0) {
    return (
      <Card>
        <EmptyState title="No more suggestions" icon="setups">
          Your setups have every evaluator that fits the traces of your applications.
        </EmptyState>
      </Card>
    )
  }
  return (
    <Card title="Send spans">
      <p className="quiet">Suggestions appear here when the first traces arrive.</p>
      <SendSpans />
    </Card>
  )
}
