import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ok } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorNote } from '../../ui/feedback.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { boundsOf, rangePhrase, type TimeRange, useQueryState } from '../../ui/time-range.ts'
import { JobProgress } from '../jobs/job-progress.tsx'

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
