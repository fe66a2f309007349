import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Status, VerdictBadge } from '../../ui/badge.tsx'
import { formatNumber, formatPercent } from '../../ui/format.ts'
import { Card } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import type { Monitor, VerdictRule } from './monitor-queries.ts'
import { originWords, SCOPE_WORDS } from './words.ts'

/** The subject of a monitor, its evaluator and its judge. */
export function MonitorFacts({
  monitor,
  description,
}: {
  monitor: Monitor
  description: string | undefined
}) {
  const since = monitor.versions.find(({ version }) => version === monitor.version)?.created_at
  return (
    <div className="stack">
      {description ? <p>{description}</p> : null}
      <dl className="monitor-facts">
        <Fact name="State">
          <Status of={monitor.status} />
        </Fact>
        <Fact name="Setup">
          <Link href={`/setups/${encodeURIComponent(monitor.external_id)}`}>{monitor.external_id}</Link>
        </Fact>
        <Fact name="Evaluator">
          <Link href={`/evaluators/${encodeURIComponent(monitor.evaluator_type)}`}>
            {monitor.evaluator_type}
          </Link>
        </Fact>
        <Fact name="Judge">{monitor.judge ?? 'Not needed'}</Fact>
        <Fact name="Scope">{SCOPE_WORDS[monitor.scope] ?? monitor.scope}</Fact>
        <Fact name="Sampling">
          {monitor.sampling_rate === 1 ? 'Everything' : `${formatPercent(monitor.sampling_rate)} of traces`}
        </Fact>
        <Fact name="Version">
          {monitor.version}
          {since ? (
            <span className="quiet">
              {' since '}
              <Time at={since} />
            </span>
          ) : null}
        </Fact>
        <Fact name="Last result">
          {monitor.last_run_at ? <Time at={monitor.last_run_at} as="ago" /> : 'None yet'}
        </Fact>
      </dl>
      {monitor.verdict ? <Rule rule={monitor.verdict} progress={monitor.verdict_progress} /> : null}
      <details>
        <summary>Input mapping</summary>
        <dl className="monitor-facts">
          {Object.entries(monitor.mapping).map(([input, mapped]) => (
            <Fact key={input} name={input}>
              {originWords(mapped)}
            </Fact>
          ))}
        </dl>
      </details>
    </div>
  )
}

function Rule({ rule, progress }: { rule: VerdictRule; progress: number | undefined }) {
  if (rule.property === undefined)
    return <p className="quiet">Results neither pass nor fail: this evaluator only measures.</p>
  return (
    <dl className="monitor-facts">
      <Fact name="Passes when">{rule.rule}</Fact>
      <Fact name="Verdicts">
        <span className="row">
          <VerdictBadge verdict="pass" label={rule.pass_label} />
          <VerdictBadge verdict="fail" label={rule.fail_label} />
        </span>
      </Fact>
      {progress === undefined ? null : (
        <Fact name="Earlier results">{`${formatPercent(progress)} judged by this rule so far`}</Fact>
      )}
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** The most frequent errors among the newest results; nothing where there are none. */
export function MonitorErrors({ errors }: { errors: Monitor['errors'] }) {
  if (errors.length === 0) return null
  return (
    <Card title="Errors">
      <Table
        label="Most frequent errors"
        rows={errors}
        keyOf={({ status, message }) => `${status} ${message}`}
        columns={[
          { title: 'Outcome', cell: ({ status }) => <Status of={status} /> },
          { title: 'Message', cell: ({ message }) => message },
          { title: 'Count', isNumber: true, cell: ({ count }) => formatNumber(count) },
          { title: 'Last seen', isSecondary: true, cell: ({ last_at }) => <Time at={last_at} as="ago" /> },
        ]}
      />
    </Card>
  )
}
