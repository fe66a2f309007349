import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { ButtonLink } from '../../ui/button-link.tsx'
import { formatNumber } from '../../ui/format.ts'
import { isUnderWay, JobProgress, useJob } from '../jobs/job-progress.tsx'
import './suggestions.css'

type Monitor = components['schemas']['Monitor']

const LOOK_MS = 1_500

/** How far the first backfill of a setup has come, evaluator by evaluator, with the way to the results. */
export function SuggestionProgress({ externalId, jobId }: { externalId: string; jobId: string }) {
  const job = useJob(jobId)
  const taken = job.data?.progress.taken ?? 0
  const isListed = !isUnderWay(job.data)
  const monitors = useQuery({
    queryKey: ['monitors', 'of', externalId],
    queryFn: () =>
      ok(api.GET('/v2/monitors', { params: { query: { external_id: externalId } } })).then(
        (answer) => answer.monitors,
      ),
    refetchInterval: ({ state }) => (isListed && isDone(state.data, taken) ? false : LOOK_MS),
  })
  const areDone = isListed && isDone(monitors.data, taken)
  return (
    <div className="stack suggested-progress">
      <p role="status">
        {areDone
          ? `Scored ${formatNumber(taken)} traces.`
          : 'Scoring your last traces. You can leave this page.'}
      </p>
      <JobProgress id={jobId} />
      <ul className="suggested-monitors" aria-label="Progress by evaluator">
        {(monitors.data ?? []).map((monitor) => (
          <li key={monitor.id}>
            <Link href={`/monitors/${monitor.id}`}>{monitor.evaluator_type}</Link>
            <progress
              aria-label={`Results of ${monitor.evaluator_type}`}
              max={Math.max(1, taken, resultsOf(monitor))}
              value={resultsOf(monitor)}
            />
            <span className="small">{`${formatNumber(resultsOf(monitor))} scored`}</span>
          </li>
        ))}
      </ul>
      <div className="row">
        <ButtonLink to={`/monitors?setup=${encodeURIComponent(externalId)}`} variant="primary">
          See the results
        </ButtonLink>
        <ButtonLink to={`/setups/${encodeURIComponent(externalId)}`}>Open the setup</ButtonLink>
      </div>
    </div>
  )
}

function resultsOf({ counts }: Monitor): number {
  return Object.values(counts).reduce((sum: number, count) => sum + (count ?? 0), 0)
}

/** True when every evaluator of traces has scored each trace. Evaluators of spans end with the job; a session may hold many traces. */
function isDone(monitors: readonly Monitor[] | undefined, taken: number): boolean {
  if (!monitors || monitors.length === 0) return false
  return monitors.every((monitor) => monitor.scope !== 'trace' || resultsOf(monitor) >= taken)
}
