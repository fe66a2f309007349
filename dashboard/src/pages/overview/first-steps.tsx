import { ButtonLink } from '../../ui/button-link.tsx'
import { EmptyState } from '../../ui/feedback.tsx'
import { Card } from '../../ui/page.tsx'
import { SendSpans } from '../../ui/send-spans.tsx'
import { SuggestionList } from '../suggestions/suggestions.tsx'

/** The first steps of a project without setups: send spans, then accept what is suggested for them. */
export function FirstSteps() {
  return <SuggestionList fallback={<NoTraces />} />
}

function NoTraces() {
  return (
    <>
      <Card title="1. Send spans">
        <SendSpans />
      </Card>
      <Card title="2. Choose evaluators">
        <EmptyState title="Waiting for your first spans" icon="traces">
          <p>
            When traces arrive, this page says what it sees, suggests evaluators, and scores a few of your own
            answers as a preview. Nothing needs to be reloaded.
          </p>
          <p className="row overview-next">
            <ButtonLink to="/evaluators">Try an evaluator</ButtonLink>
            <ButtonLink to="/setups/new">Create a setup yourself</ButtonLink>
          </p>
        </EmptyState>
      </Card>
    </>
  )
}
