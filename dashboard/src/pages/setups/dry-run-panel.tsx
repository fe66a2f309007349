import { Link } from 'wouter'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { JsonView } from '../../ui/code.tsx'
import { ErrorNote, Loading } from '../../ui/feedback.tsx'
import { formatCompact, formatCount } from '../../ui/format.ts'
import { Card } from '../../ui/page.tsx'
import { RangeSelect } from '../../ui/range-select.tsx'
import { RANGES, type RangeName } from '../../ui/time-range.ts'
import { changeWords, costWords, matchWords, trialWords } from './dry-run-words.ts'
import type { Override } from './setup-definition.ts'
import type { DryRun, Trial } from './use-dry-run.ts'

interface DryRunPanelProps {
  readonly run: DryRun | undefined
  readonly error: unknown
  /** Whether the run is about what is written now. */
  readonly isCurrent: boolean
  /** Why nothing can be tried yet. */
  readonly obstacle: string | undefined
  readonly hasEvaluators: boolean
  readonly range: RangeName
  readonly onRange: (range: RangeName) => void
  /** Applies a change that lets an evaluator start. */
  readonly onFix: (override: Override) => void
}

/** A preview of the setup's effect, beside the form that writes it. */
export function DryRunPanel(props: DryRunPanelProps) {
  return (
    <Card
      title="Preview"
      className="setup-dry-run"
      actions={<RangeSelect value={props.range} onChange={props.onRange} />}
    >
      <div aria-live="polite" aria-busy={!props.isCurrent} className="stack">
        <Content {...props} />
      </div>
    </Card>
  )
}

function Content({ run, error, isCurrent, obstacle, hasEvaluators, range, onFix }: DryRunPanelProps) {
  if (obstacle) return <p className="quiet">{obstacle}</p>
  if (error) return <ErrorNote error={error} />
  if (!run) return <Loading lines={4} label="Trying the setup on stored spans" />
  if (run.looked.spans === 0) {
    return (
      <p className="quiet">
        No spans have arrived in this time, so there is nothing to try it on. Choose a longer one, or send
        spans.
      </p>
    )
  }
  return (
    <div className="stack">
      <Matches run={run} range={range} />
      {hasEvaluators ? (
        <Trials trials={run.evaluators} onFix={onFix} isCurrent={isCurrent} />
      ) : (
        <p className="quiet">Choose an evaluator to see whether these spans have its inputs.</p>
      )}
      {run.examples.length > 0 ? <Examples examples={run.examples} /> : null}
      <p className="quiet small">
        {isCurrent ? 'Nothing is stored and no judge is asked.' : 'Updating the preview…'}
      </p>
    </div>
  )
}

function Matches({ run, range }: { run: DryRun; range: RangeName }) {
  const share = run.matched / run.looked.spans
  const cost = costWords(run.evaluators)
  const change = changeWords(run)
  return (
    <div className="setup-matches">
      <p className="setup-matches-sentence">{matchWords(run, RANGES[range].label)}</p>
      <div className="bar-list-track" aria-hidden="true">
        <span style={{ width: `${100 * share}%` }} />
      </div>
      <p className="quiet">
        {run.matched_traces === undefined ? null : `${formatCount(run.matched_traces, 'trace')}. `}
        {run.matched_per_day === undefined
          ? null
          : `About ${formatCompact(run.matched_per_day)} spans a day. `}
        {cost}
      </p>
      {change ? <p className="quiet">{change}</p> : null}
    </div>
  )
}

interface TrialsProps extends Pick<DryRunPanelProps, 'onFix' | 'isCurrent'> {
  readonly trials: readonly Trial[]
}

function Trials({ trials, onFix, isCurrent }: TrialsProps) {
  return (
    <ul className="setup-trials" aria-label="Evaluators">
      {trials.map((trial) => {
        const { tone, label, lines } = trialWords(trial)
        return (
          <li key={trial.evaluator_type}>
            <div className="spread">
              <span className="mono">{trial.evaluator_type}</span>
              <Badge tone={tone}>{label}</Badge>
            </div>
            {lines.map((line) => (
              <p key={line} className="quiet small">
                {line}
              </p>
            ))}
            {trial.fixes ? <Fixes fixes={trial.fixes} onFix={onFix} isCurrent={isCurrent} /> : null}
            {trial.judge ? <p className="quiet small">Asks {trial.judge}.</p> : null}
            {trial.inputs[0] ? (
              <details className="small">
                <summary>Inputs</summary>
                <JsonView label="From one span" value={trial.inputs[0].input} />
              </details>
            ) : null}
          </li>
        )
      })}
    </ul>
  )
}

interface FixesProps extends Pick<DryRunPanelProps, 'onFix' | 'isCurrent'> {
  readonly fixes: NonNullable<Trial['fixes']>
}

/** Changes that were tried and work; while something else is written they may not be true any more. */
function Fixes({ fixes, onFix, isCurrent }: FixesProps) {
  return (
    <div className="setup-fixes">
      {fixes.map(({ label, change }) => (
        <Button key={label} disabled={!isCurrent} onClick={() => onFix(change)}>
          {label}
        </Button>
      ))}
    </div>
  )
}

function Examples({ examples }: { examples: DryRun['examples'] }) {
  return (
    <div>
      <h3>Spans that match</h3>
      <ul className="setup-examples">
        {examples.map(({ trace_id, span_id }) => (
          <li key={`${trace_id}${span_id}`}>
            <Link href={`/traces/${trace_id}?span=${span_id}`} className="mono">
              {span_id}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
