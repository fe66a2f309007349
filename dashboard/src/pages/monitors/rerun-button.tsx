import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorNote, Loaded } from '../../ui/feedback.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { formatNumber } from '../../ui/format.ts'
import { boundsOf, rangePhrase, type TimeRange, useQueryState } from '../../ui/time-range.ts'

type Job = components['schemas']['Job']

const ALL_STATUSES = [
  'error',
  'unparseable',
  'refused',
  'over_budget',
  'abstained',
  'missing_input',
  'scored',
] as const
const WHICH = [
  { value: 'failed', label: 'Those without a score' },
  { value: 'all', label: 'All, including scored ones' },
]

/** Evaluates units again after asking, and shows how far that has come. The job stands in the address. */
export function RerunButton({ monitorId, range }: { monitorId: string; range: TimeRange }) {
  const [query, change] = useQueryState()
  const [isAsking, setAsking] = useState(false)
  const jobId = query.get('job')
  const close = () => {
    setAsking(false)
    if (jobId !== null) change({ job: undefined })
  }
  return (
    <>
      <Button onClick={() => setAsking(true)}>Run again…</Button>
      {/* One dialog for both steps: a second one would take the first's closing for its own. */}
      <Dialog title="Run evaluations again" isOpen={isAsking || jobId !== null} onClose={close}>
        {jobId === null ? (
          <RerunForm
            monitorId={monitorId}
            range={range}
            onCancel={close}
            onStarted={(job) => {
              setAsking(false)
              change({ job })
            }}
          />
        ) : (
          <JobProgress id={jobId} />
        )}
      </Dialog>
    </>
  )
}

interface RerunFormProps {
  readonly monitorId: string
  readonly range: TimeRange
  readonly onCancel: () => void
  readonly onStarted: (jobId: string) => void
}

function RerunForm({ monitorId, range, onCancel, onStarted }: RerunFormProps) {
  const [which, setWhich] = useState('failed')
  const start = useMutation({
    mutationFn: () => {
      const statuses = which === 'all' ? { status: [...ALL_STATUSES] } : {}
      return ok(
        api.POST('/v2/evaluations/rerun', {
          body: { filter: { monitor_id: monitorId, ...boundsOf(range), ...statuses } },
        }),
      )
    },
    onSuccess: ({ id }) => onStarted(id),
  })
  return (
    <div className="stack">
      <p>
        {`Evaluates again the units that this monitor recorded ${rangePhrase(range)}, at most 10,000 of them. `}
        The earlier results stay as history. A judge is asked again where the question has changed, which may
        cost money. Budgets apply.
      </p>
      <Field label="Which evaluations">
        {(ids) => (
          <Select {...ids} value={which} options={WHICH} onChange={({ target }) => setWhich(target.value)} />
        )}
      </Field>
      {start.error ? <ErrorNote error={start.error} /> : null}
      <div className="row">
        <Button variant="primary" isBusy={start.isPending} onClick={() => start.mutate()}>
          Run again
        </Button>
        <Button variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </div>
  )
}

const isUnderWay = (job: Job | undefined) =>
  job === undefined || job.state === 'queued' || job.state === 'running'

function JobProgress({ id }: { id: string }) {
  const queries = useQueryClient()
  const job = useQuery({
    queryKey: ['job', id],
    queryFn: async () => {
      const found = await ok(api.GET('/v2/jobs/{id}', { params: { path: { id } } }))
      if (!isUnderWay(found)) void queries.invalidateQueries({ queryKey: ['evaluations'] })
      return found
    },
    refetchInterval: ({ state }) => (isUnderWay(state.data) ? 2_000 : false),
  })
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
            aria-label="Evaluations done"
            max={Math.max(1, found.progress.queued)}
            value={isUnderWay(found) ? found.progress.evaluated : Math.max(1, found.progress.queued)}
          />
          {found.limit_reached ? (
            <p className="quiet">There may be more. Start it again when this run is done.</p>
          ) : null}
          {found.error_message ? <ErrorNote error={found.error_message} /> : null}
          {cancel.error ? <ErrorNote error={cancel.error} /> : null}
          {isUnderWay(found) ? (
            <div className="row">
              <Button variant="danger" isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
                Stop
              </Button>
              <span className="quiet small">It continues when you close this dialog.</span>
            </div>
          ) : null}
        </div>
      )}
    </Loaded>
  )
}

function progressWords({ progress: { looked_at, matched, queued, evaluated } }: Job): string {
  const [looked, meant, asked, made] = [looked_at, matched, queued, evaluated].map(formatNumber)
  return `${looked} results searched, ${meant} selected. ${made} of ${asked} evaluations done.`
}
