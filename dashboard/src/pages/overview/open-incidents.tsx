import { Link } from 'wouter'
import type { components } from '../../api/schema.gen.ts'
import { Badge } from '../../ui/badge.tsx'
import { incidentTitle, rateWords } from '../../ui/incident-words.ts'
import { Card } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'

/** Incidents that need attention, whatever time the page shows; nothing at all when there are none. */
export function OpenIncidents({ incidents }: { incidents: readonly components['schemas']['Incident'][] }) {
  if (incidents.length === 0) return null
  return (
    <Card title="Open incidents" className="incidents-open">
      <ul className="attention">
        {incidents.map((incident) => (
          <li key={incident.id}>
            <Badge tone="bad">Incident</Badge>
            <span>
              <Link href={`/incidents/${encodeURIComponent(incident.id)}`}>{incidentTitle(incident)}</Link>{' '}
              <span className="quiet">{incident.monitors[0] ? rateWords(incident.monitors[0]) : ''}</span>
            </span>
            <span className="quiet small">
              since <Time at={incident.onset_at} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
