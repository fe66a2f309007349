import { ButtonLink } from '../../ui/button-link.tsx'
import { EmptyState } from '../../ui/feedback.tsx'
import { Card } from '../../ui/page.tsx'
import { SendSpans } from '../../ui/send-spans.tsx'

/** The first steps to take while there is no data. */
export function FirstSteps() {
  return (
    <>
      <Card title="1. Send spans">
        <SendSpans />
      </Card>
      <Card title="2. Create a setup">
        <EmptyState title="A setup chooses spans and the evaluators that look at them.">
          <p>From then on every matching span is scored as it arrives, and the scores show here.</p>
          <p className="row overview-next">
            <ButtonLink to="/setups/new" variant="primary">
              Create a setup
            </ButtonLink>
            <ButtonLink to="/evaluators">Try an evaluator first</ButtonLink>
          </p>
        </EmptyState>
      </Card>
    </>
  )
}
