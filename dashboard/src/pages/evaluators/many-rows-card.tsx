import { type KeyboardEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { EmptyState, ErrorNote, Loaded } from '../../ui/feedback.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Card } from '../../ui/page.tsx'
import { useVersions } from './evaluator-queries.ts'
import { createBodyOf, type JudgeDraft } from './judge-draft.ts'
import './trial.css'
import { FieldMapping } from './trial-mapping.tsx'
import { FIRST_SOURCE, TrialSourceForm, useTrialRows } from './trial-source.tsx'
import { keyOfRow, TrialResults, TrialRows } from './trial-table.tsx'
import { TrialTotals } from './trial-totals.tsx'
import type { TrialRow } from './trial-types.ts'
import { useTrial } from './use-trial.ts'

const NONE = ''

/** Tries the judge as it stands on stored spans and traces, beside a stored version and beside the labels of people. */
export function ManyRowsCard({ draft, slug }: { draft: JudgeDraft; slug: string | undefined }) {
  const [source, setSource] = useState(FIRST_SOURCE)
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [version, setVersion] = useState(NONE)
  const [label, setLabel] = useState<string>()
  const [fields, setFields] = useState<Readonly<Record<string, string>>>({})
  const rows = useTrialRows(source)
  const trial = useTrial()
  const all = rows.data?.rows ?? []
  const chosen = all.filter((row) => !left.has(keyOfRow(row)))
  const names = labelNames(all)
  const compared = label ?? names[0]?.[0] ?? NONE
  const start = () =>
    void trial.start({
      rows: chosen,
      candidates: ['This draft', ...(version === NONE ? [] : [`Version ${version}`])],
      body: trialBodyOf(draft, chosen, { slug, version, label: compared, fields }),
    })
  return (
    <Card title="Try it on your data" className="trial">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Enter in a line must not save the judge, whose form is around. */}
      <div className="stack" onKeyDown={keepEnter}>
        <TrialSourceForm source={source} onChange={setSource} />
        <div className="trial-controls">
          {slug === undefined ? null : <VersionSelect slug={slug} value={version} onChange={setVersion} />}
          <LabelSelect names={names} value={compared} onChange={setLabel} />
        </div>
        <FieldMapping draft={draft} fields={fields} onChange={setFields} />
        <TrialButtons
          count={chosen.length}
          isRunning={trial.state.isRunning}
          onStart={start}
          onCancel={trial.cancel}
        />
        <Progress state={trial.state} />
        {trial.state.error ? <ErrorNote error={trial.state.error} /> : null}
        <TrialTotals state={trial.state} />
        {trial.state.results.length > 0 ? <TrialResults state={trial.state} /> : null}
        <Loaded query={rows} lines={4}>
          {() => (all.length === 0 ? <NoRows /> : <ChosenRows {...{ all, left, setLeft }} />)}
        </Loaded>
      </div>
    </Card>
  )
}

function keepEnter(event: KeyboardEvent): void {
  if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault()
}

interface ChosenRowsProps {
  readonly all: readonly TrialRow[]
  /** Rows that were taken out. */
  readonly left: ReadonlySet<string>
  readonly setLeft: (left: ReadonlySet<string>) => void
}

function ChosenRows({ all, left, setLeft }: ChosenRowsProps) {
  const chosen = new Set(all.map(keyOfRow).filter((key) => !left.has(key)))
  return (
    <details open={all.length <= 10}>
      <summary>{`Rows (${formatNumber(chosen.size)} of ${formatNumber(all.length)} chosen)`}</summary>
      <TrialRows
        rows={all}
        chosen={chosen}
        onChange={(next) => setLeft(new Set(all.map(keyOfRow).filter((key) => !next.has(key))))}
      />
    </details>
  )
}

function NoRows() {
  return (
    <EmptyState title="No rows match this choice.">
      Send traces first, or choose another monitor, application or trace.
    </EmptyState>
  )
}

interface TrialButtonsProps {
  readonly count: number
  readonly isRunning: boolean
  readonly onStart: () => void
  readonly onCancel: () => void
}

function TrialButtons({ count, isRunning, onStart, onCancel }: TrialButtonsProps) {
  return (
    <div className="row">
      <Button variant="primary" disabled={count === 0} isBusy={isRunning} onClick={onStart}>
        {count === 1 ? 'Try on 1 row' : `Try on ${formatNumber(count)} rows`}
      </Button>
      {isRunning ? <Button onClick={onCancel}>Cancel</Button> : null}
      <span className="quiet small">
        Each row asks the model once per version, within your budget. No evaluation is stored.
      </span>
    </div>
  )
}

function Progress({ state }: { state: ReturnType<typeof useTrial>['state'] }) {
  const total = state.rows.length * state.candidates.length
  const done = state.results.length
  return (
    <div aria-live="polite">
      {state.isRunning ? (
        <label className="trial-progress">
          <progress max={total} value={done} aria-label="Progress of the trial" />
          <span>{`${formatNumber(done)} of ${formatNumber(total)} answers`}</span>
        </label>
      ) : null}
      {state.isCancelled ? (
        <p className="quiet">{`Cancelled after ${formatNumber(done)} of ${formatNumber(total)} answers.`}</p>
      ) : null}
    </div>
  )
}

function VersionSelect({ slug, value, onChange }: SelectProps & { slug: string }) {
  const versions = useVersions(slug)
  const options = (versions.data?.versions ?? []).map(({ version }) => ({
    value: version,
    label: `Version ${version}`,
  }))
  return (
    <Field label="Compare with">
      {(ids) => (
        <Select
          {...ids}
          value={value}
          options={[{ value: NONE, label: 'No other version' }, ...options.toReversed()]}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}

interface SelectProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

function LabelSelect({
  names,
  value,
  onChange,
}: SelectProps & { names: readonly (readonly [string, number])[] }) {
  const options = names.map(([name, count]) => ({
    value: name,
    label: `${name} (${count === 1 ? '1 row' : `${formatNumber(count)} rows`})`,
  }))
  return (
    <Field label="Human labels">
      {(ids) => (
        <Select
          {...ids}
          value={value}
          options={[{ value: NONE, label: 'No comparison' }, ...options]}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}

/** The names of annotations and how many rows have one, the most frequent first. */
function labelNames(rows: readonly TrialRow[]): (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const { labels } of rows)
    for (const name of new Set(labels.map((label) => label.name)))
      counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].toSorted(([, left], [, right]) => right - left)
}

interface TrialChoice {
  readonly slug: string | undefined
  readonly version: string
  readonly label: string
  readonly fields: Readonly<Record<string, string>>
}

function trialBodyOf(draft: JudgeDraft, rows: readonly TrialRow[], choice: TrialChoice) {
  const { slug: _, name, ...definition } = createBodyOf(draft)
  const { slug, version, label, fields } = choice
  const inputs = new Set(draft.inputs.map((input) => input.name.trim()))
  const mapped = Object.entries(fields).filter(([input, field]) => field !== '' && inputs.has(input))
  return {
    candidates: [
      { draft: { ...definition, name: name || 'Unnamed' } },
      ...(slug === undefined || version === NONE ? [] : [{ evaluator: slug, version }]),
    ],
    rows: rows.map(({ trace_id, span_id }) => ({ trace_id, ...(span_id === undefined ? {} : { span_id }) })),
    ...(label === NONE ? {} : { label }),
    ...(mapped.length === 0 ? {} : { fields: Object.fromEntries(mapped) }),
  }
}
