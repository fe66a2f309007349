import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ok } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorNote } from '../../ui/feedback.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { formatNumber } from '../../ui/format.ts'
import { JobProgress } from './job-progress.tsx'

const LIMITS = [100, 500, 5_000, 50_000]
const OPTIONS = LIMITS.map((limit) => ({
  value: String(limit),
  label: `The last ${formatNumber(limit)} traces`,
}))

/** Evaluates stored traces with a setup after asking how many, and shows how far that has come. */
export function BackfillButton({
  externalId,
  variant = 'plain',
}: {
  externalId: string
  variant?: 'plain' | 'quiet'
}) {
  const [isOpen, setOpen] = useState(false)
  const [jobId, setJobId] = useState<string>()
  const close = () => {
    setOpen(false)
    setJobId(undefined)
  }
  return (
    <>
      <Button
        variant={variant}
        onClick={() => setOpen(true)}
        aria-label={`Score past traces with ${externalId}`}
      >
        Score past traces…
      </Button>
      <Dialog title={`Score past traces with ${externalId}`} isOpen={isOpen} onClose={close}>
        {jobId === undefined ? (
          <BackfillForm externalId={externalId} onStarted={setJobId} onCancel={close} />
        ) : (
          <JobProgress id={jobId} />
        )}
      </Dialog>
    </>
  )
}

interface BackfillFormProps {
  readonly externalId: string
  readonly onStarted: (jobId: string) => void
  readonly onCancel: () => void
}

function BackfillForm({ externalId, onStarted, onCancel }: BackfillFormProps) {
  const [limit, setLimit] = useState('500')
  const start = useMutation({
    mutationFn: () =>
      ok(
        api.POST('/v2/auto-monitor-setups/{external_id}/backfill', {
          params: { path: { external_id: externalId } },
          body: { limit: Number(limit), limit_by: 'traces' },
        }),
      ),
    onSuccess: ({ id }) => onStarted(id),
  })
  return (
    <div className="stack">
      <p>
        Evaluates stored traces that match this setup, the newest first. Traces that were evaluated already
        are left out. Judges may cost money; budgets hold.
      </p>
      <Field label="Traces">
        {(ids) => (
          <Select
            {...ids}
            value={limit}
            options={OPTIONS}
            onChange={({ target }) => setLimit(target.value)}
          />
        )}
      </Field>
      {start.error ? <ErrorNote error={start.error} /> : null}
      <div className="row">
        <Button variant="primary" isBusy={start.isPending} onClick={() => start.mutate()}>
          Score them
        </Button>
        <Button variant="quiet" onClick={onCancel}>
          Not now
        </Button>
      </div>
    </div>
  )
}
