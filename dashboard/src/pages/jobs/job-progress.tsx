import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ErrorNote, Loaded } from '../../ui/feedback.tsx'
import './job-progress.css'
import { progressWords } from './job-words.ts'

export type Job = components['schemas']['Job']

const LOOK_MS = 1_500

/** True while a job has something left to do. */
export const isUnderWay = (job: Job | undefined) =>
  job === undefined || job.state === 'queued' || job.state === 'running'

/** A job, read again until it has ended. */
export function useJob(id: string) {
  const queries = useQueryClient()
  return useQuery({
    queryKey: ['job', id],
    queryFn: async () => {
      const found = await ok(api.GET('/v2/jobs/{id}', { params: { path: { id } } }))
      if (!isUnderWay(found)) {
        for (const name of ['evaluations', 'monitors', 'explain', 'setups'])
          void queries.invalidateQueries({ queryKey: [name] })
      }
      return found
    },
    refetchInterval: ({ state }) => (isUnderWay(state.data) ? LOOK_MS : false),
  })
}

/** The state of a backfill or a rerun, with a way to cancel it. */
export function JobProgress({ id }: { id: string }) {
  const queries = useQueryClient()
  const job = useJob(id)
  const cancel = useMutation({
    mutationFn: () => ok(api.POST('/v2/jobs/{id}/cancel', { params: { path: { id } } })),
    onSuccess: (ended) => queries.setQueryData(['job', id], ended),
  })
  return (
    <Loaded query={job}>
      {(found) => (
        <div className="job" aria-live="polite">
          <div className="row">
            <Status of={found.state === 'done' ? 'completed' : found.state} />
            <span>{progressWords(found)}</span>
          </div>
          <progress
            aria-label="Evaluations made"
            max={Math.max(1, found.progress.queued)}
            value={isUnderWay(found) ? found.progress.evaluated : Math.max(1, found.progress.queued)}
          />
          {found.limit_reached ? (
            <p className="quiet">The limit was reached. There may be more; start another job for the rest.</p>
          ) : null}
          {found.error_message ? <ErrorNote error={found.error_message} /> : null}
          {cancel.error ? <ErrorNote error={cancel.error} /> : null}
          {isUnderWay(found) ? (
            <div className="row">
              <Button variant="danger" isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
                Cancel the job
              </Button>
              <span className="quiet small">It goes on when you close this.</span>
            </div>
          ) : null}
        </div>
      )}
    </Loaded>
  )
}
