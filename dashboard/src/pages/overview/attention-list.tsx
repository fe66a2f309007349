import { Link } from 'wouter'
import type { components } from '../../api/schema.gen.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Card } from '../../ui/page.tsx'

type Attention = components['schemas']['Attention']

const TONES: Readonly<Record<Attention['severity'], Tone>> = {
  error: 'bad',
  warning: 'warn',
  info: 'neutral',
}
const WORDS: Readonly<Record<Attention['severity'], string>> = {
  error: 'Problem',
  warning: 'Warning',
  info: 'Note',
}

/** Problems that need attention, the worst first; nothing at all when there are none. */
export function AttentionList({ items }: { items: readonly Attention[] }) {
  if (items.length === 0) return null
  return (
    <Card title="Needs attention">
      <ul className="attention">
        {items.map((item) => (
          <li key={`${item.kind} ${item.external_id ?? ''} ${item.monitor_id ?? ''}`}>
            <Badge tone={TONES[item.severity]}>{WORDS[item.severity]}</Badge>
            <span>
              {item.external_id ? <strong>{item.external_id}: </strong> : null}
              {item.message}
            </span>
            <Target of={item} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Target({ of: { monitor_id: monitor, external_id: setup, kind } }: { of: Attention }) {
  if (monitor) return <Link href={`/monitors/${encodeURIComponent(monitor)}`}>Open the monitor</Link>
  if (setup) return <Link href={`/setups/${encodeURIComponent(setup)}`}>Open the setup</Link>
  if (kind === 'budget') return <Link href="/settings?tab=budgets">Budgets</Link>
  return null
}
