import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link, useParams } from 'wouter'
import { api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { Badge, ResultBadge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button-link.tsx'
import { Loaded, Loading } from '../../ui/feedback.tsx'
import { formatPercent } from '../../ui/format.ts'
import { inboxAddress } from '../../ui/inbox-address.ts'
import { incidentTitle, propertyName, rateWords } from '../../ui/incident-words.ts'
import { LineChart } from '../../ui/line-chart.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { Decision } from './decision.tsx'
import { IncidentEvents } from './incident-events.tsx'
import './incident.css'

type Incident = components['schemas']['IncidentDetail']

const TONES = { open: 'bad', recovered: 'good', ended: 'neutral', dismissed: 'neutral' } as const
const STATES = { open: 'Open', recovered: 'Recovered', ended: 'Ended', dismissed: 'Dismissed' } as const

export function prepare(queries: QueryClient, { pathname }: URL) {
  void queries.prefetchQuery(incidentOf(decodeURIComponent(pathname.split('/').at(-1) ?? '')))
}

export default function IncidentPage() {
  const { id = '' } = useParams()
  const incident = useQuery({ ...incidentOf(id), refetchInterval: 15_000 })
  return (
    <Loaded query={incident} skeleton={<Loading lines={8} />}>
      {(shown) => <Content incident={shown} />}
    </Loaded>
  )
}

function incidentOf(id: string) {
  return queryOptions({
    queryKey: ['incident', id],
    queryFn: () => ok(api.GET('/v2/incidents/{id}', { params: { path: { id } } })),
  })
}

function Content({ incident }: { incident: Incident }) {
  const review = inboxAddress({
    application: incident.application ?? undefined,
    monitor: incident.monitors.length === 1 ? incident.monitors[0]?.monitor_id : undefined,
  })
  return (
    <Page
      title={incidentTitle(incident)}
      lead={
        <>
          <Badge tone={TONES[incident.state]}>{STATES[incident.state]}</Badge> since{' '}
          <Time at={incident.onset_at} />, noticed <Time at={incident.opened_at} />
        </>
      }
      actions={
        <>
          <ButtonLink to={review} variant="primary">
            Review these
          </ButtonLink>
          <Decision incident={incident} />
        </>
      }
    >
      <Card title="Pass rate">
        <RateChart incident={incident} />
        <Monitors incident={incident} />
      </Card>
      <Changes changes={incident.changes} />
      <Examples examples={incident.examples} />
      <IncidentEvents incident={incident} />
    </Page>
  )
}

function RateChart({ incident: { points, onset_at: onset, changes } }: { incident: Incident }) {
  const times = useMemo(() => points.map(({ at }) => new Date(at)), [points])
  const series = useMemo(
    () => [{ name: 'Pass rate', values: points.map((point) => point.pass_rate) }],
    [points],
  )
  // Where a deployment is there, its line says enough; two names at one place cannot be read.
  const markers = useMemo(
    () =>
      changes.deployments.length === 0
        ? [{ atMs: Date.parse(onset), label: 'onset' }]
        : changes.deployments.map(({ version, first_seen_at: at }) => ({
            atMs: Date.parse(at),
            label: version,
          })),
    [onset, changes],
  )
  return (
    <LineChart
      label="Pass rate over time"
      times={times}
      series={series}
      markers={markers}
      format={formatPercent}
      height={220}
    />
  )
}

function Monitors({ incident }: { incident: Incident }) {
  return (
    <ul className="incident-list">
      {incident.monitors.map((monitor) => (
        <li key={`${monitor.monitor_id} ${monitor.version}`}>
          <Link href={`/monitors/${encodeURIComponent(monitor.monitor_id)}`}>
            {monitor.evaluator_type ?? monitor.monitor_id}
          </Link>
          <span>{rateWords(monitor)}</span>
          <span className="quiet small">{monitor.state === 'fallen' ? '' : monitor.state}</span>
        </li>
      ))}
    </ul>
  )
}

function Changes({ changes: { values, deployments, ...sample } }: { changes: Incident['changes'] }) {
  return (
    <Card title="Changes at the onset">
      {values.length === 0 && deployments.length === 0 ? (
        <p className="quiet">Models, versions and prompts are the same before and after.</p>
      ) : null}
      <ul className="incident-list">
        {deployments.map(({ version, environment, first_seen_at: at }) => (
          <li key={`${environment} ${version}`}>
            <span>Deployment</span>
            <strong>{version}</strong>
            <span className="quiet">
              in {environment}, first seen <Time at={at} />
            </span>
          </li>
        ))}
        {values.map(({ property, value, share_before: before, share_after: after }) => (
          <li key={`${property} ${value}`}>
            <span>{propertyName(property)}</span>
            <strong>{value}</strong>
            <span className="quiet">
              {formatPercent(before)} of calls before, {formatPercent(after)} after
            </span>
          </li>
        ))}
      </ul>
      <p className="quiet small incident-sample">
        Compared {sample.sampled_before} results before the onset with {sample.sampled_after} after it.
      </p>
    </Card>
  )
}

function Examples({ examples }: { examples: Incident['examples'] }) {
  if (examples.length === 0) return null
  return (
    <Card title="Examples">
      <ul className="incident-examples">
        {examples.map((example) => (
          <li key={example.id}>
            <div className="row">
              <ResultBadge result={example} />
              <Link href={`/evaluations/${example.id}`}>{example.evaluator_type}</Link>
              <span className="quiet small">
                <Time at={example.created_at} />
              </span>
            </div>
            <p>{example.preview?.input ?? <span className="quiet">The question is not known.</span>}</p>
            <p className="quiet">{example.preview?.output ?? 'The answer is not known.'}</p>
          </li>
        ))}
      </ul>
    </Card>
  )
}
