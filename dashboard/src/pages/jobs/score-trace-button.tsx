import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ok } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNote } from '../../ui/feedback.tsx'
import { JobProgress } from './job-progress.tsx'

/** The trace to score, and the setup to score it with. */
export interface ScoredTrace {
  readonly externalId: string
  readonly traceId: string
  /** When the span that is looked at arrived. */
  readonly receivedAt: string
  /** The evaluator whose failed result is made again; absent: the setup has not looked at the trace yet. */
  readonly failedEvaluator?: string
}

/** Scores one trace with a setup now, or makes a result again that failed. */
export function ScoreTraceButton(trace: ScoredTrace) {
  const [jobId, setJobId] = useState<string>()
  const start = useMutation({
    mutationFn: () => (trace.failedEvaluator === undefined ? backfill(trace) : rerun(trace)),
    onSuccess: ({ id }) => setJobId(id),
  })
  if (jobId !== undefined) return <JobProgress id={jobId} />
  return (
    <div className="stack">
      <div className="row">
        <Button isBusy={start.isPending} onClick={() => start.mutate()}>
          {trace.failedEvaluator === undefined ? 'Score this trace now' : 'Run again'}
        </Button>
      </div>
      {start.error ? <ErrorNote error={start.error} /> : null}
    </div>
  )
}

function backfill({ externalId, traceId, receivedAt }: ScoredTrace) {
  const fromMs = Date.parse(receivedAt)
  return ok(
    api.POST('/v2/auto-monitor-setups/{external_id}/backfill', {
      params: { path: { external_id: externalId } },
      body: {
        trace_id: traceId,
        window: { from: receivedAt, to: new Date(fromMs + 1).toISOString() },
      },
    }),
  )
}

function rerun({ externalId, traceId, failedEvaluator = '' }: ScoredTrace) {
  const filter = { external_id: externalId, trace_id: traceId, evaluator_type: failedEvaluator }
  return ok(api.POST('/v2/evaluations/rerun', { body: { filter } }))
}
