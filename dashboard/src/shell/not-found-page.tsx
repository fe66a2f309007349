import { useLocation } from 'wouter'
import { ButtonLink } from '../ui/button-link.tsx'
import { EmptyState } from '../ui/feedback.tsx'
import { Card, Page } from '../ui/page.tsx'
import { SECTIONS } from './sections.ts'

/** The page of an address that leads nowhere. */
export function NotFoundPage() {
  const [path] = useLocation()
  const near = SECTIONS.find(({ to }) => to !== '/' && path.startsWith(`${to}/`))
  return (
    <Page title="Page not found">
      <Card>
        <EmptyState icon="search" title="There is no page at this address.">
          <p className="mono not-found-address">{path}</p>
          <p>The link may be old or incomplete.</p>
          <p className="row empty-actions">
            <ButtonLink to="/" variant="primary">
              Back to the home page
            </ButtonLink>
            {near ? <ButtonLink to={near.to}>{near.title}</ButtonLink> : null}
          </p>
        </EmptyState>
      </Card>
    </Page>
  )
}
