import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { formatDuration } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import { outputLine, type Run, shortValue } from './evaluator-call.ts'
import type { SchemaField } from './evaluator-types.ts'

interface RecentRunsProps {
  readonly runs: readonly Run[]
  readonly shown: Run | undefined
  readonly fields: readonly SchemaField[]
  readonly onShow: (run: Run) => void
}

/** The last runs of this page, to go back to. They are kept nowhere else. */
export function RecentRuns({ runs, shown, fields, onShow }: RecentRunsProps) {
  if (runs.length < 2) return null
  return (
    <div className="evaluator-runs">
      <h3>Last runs</h3>
      <ol>
        {runs.map((run) => (
          <li key={run.id}>
            <Button
              variant="quiet"
              className="evaluator-run"
              aria-pressed={run.id === shown?.id}
              onClick={() => onShow(run)}
            >
              <span className="evaluator-run-text">
                {shortValue(Object.values(run.call.input)[0] ?? '–')}
              </span>
              {run.output ? (
                <span>{outputLine(run.output, fields) || 'Answered'}</span>
              ) : (
                <Badge tone="bad">No answer</Badge>
              )}
              <span className="quiet small">
                <Time at={run.at.toISOString()} />, {formatDuration(run.durationMs)}
              </span>
            </Button>
          </li>
        ))}
      </ol>
    </div>
  )
}
