import { Link } from 'wouter'
import { ApiError } from '../../api/client.ts'
import { Card } from '../../ui/page.tsx'

/** True for an answer of 404: the trace is not there, and nothing has failed. */
export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404

/** The possible reasons why a trace or session is not found, and where to go. */
export function NotHere({ what, back }: { what: 'trace' | 'session'; back: string }) {
  return (
    <Card title={`There is no such ${what} in this project`}>
      <div className="stack">
        <p>
          It was deleted, is no longer kept, or has not arrived: a {what} can be found about a second after
          its spans were received.
        </p>
        <p>
          <Link href={back}>{`All ${what}s`}</Link>
        </p>
      </div>
    </Card>
  )
}
