import type { components } from '../../api/schema.gen.ts'
import { Card } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'

type Incident = components['schemas']['IncidentDetail']

const WORDS: Readonly<Record<Incident['events'][number]['kind'], string>> = {
  opened: 'Opened',
  joined: 'Another monitor fell',
  left: 'A monitor left',
  recovered: 'Recovered',
  ended: 'Ended',
  dismissed: 'Dismissed',
  reopened: 'Opened again',
}

/** The course of an incident, event by event. */
export function IncidentEvents({ incident: { events, monitors } }: { incident: Incident }) {
  const nameOf = (id: string | undefined) =>
    monitors.find((monitor) => monitor.monitor_id === id)?.evaluator_type
  return (
    <Card title="History">
      <ul className="incident-list">
        {events.map(({ kind, at, monitor_id: monitor, actor, reason }) => (
          <li key={`${at} ${kind} ${monitor ?? ''}`}>
            <span className="quiet small">
              <Time at={at} />
            </span>
            <span>
              {WORDS[kind]}
              {nameOf(monitor) ? `: ${nameOf(monitor)}` : ''}
              {actor ? ` by ${actor}` : ''}
            </span>
            <span className="quiet">{reason ?? ''}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
