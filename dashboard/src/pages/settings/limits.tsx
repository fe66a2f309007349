import { useQuery } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { Badge } from '../../ui/badge.tsx'
import { Loaded, Note } from '../../ui/feedback.tsx'
import { formatBytes, formatNumber, formatPercent } from '../../ui/format.ts'
import { Card } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'

type Limit = components['schemas']['Limit']

const TITLES: Readonly<Record<string, string>> = {
  requests_per_second: 'Requests per second',
  spans_per_second: 'Spans per second',
  stored_bytes: 'Stored spans',
  setups: 'Setups',
  projects: 'Projects',
  api_keys: 'API keys',
  custom_evaluators: 'Custom evaluators',
}

/** Limits of the organization and its current usage. */
export function LimitsSettings() {
  const limits = useQuery({
    queryKey: ['limits'],
    queryFn: () => ok(api.GET('/v2/limits', {})),
    refetchInterval: 15_000,
  })
  return (
    <Card title="Limits">
      <p className="quiet settings-lead">
        Rates apply to each API key and show the use of the key you are signed in with. Everything else
        applies to the whole organization. The operator of this installation sets the limits.
      </p>
      <Loaded query={limits}>
        {(data) => (
          <div className="stack">
            <Warning limits={data.limits} />
            <Table
              label="Limits"
              rows={data.limits}
              keyOf={(limit) => limit.name}
              columns={[
                { title: 'Limit', cell: (limit) => TITLES[limit.name] ?? limit.name },
                { title: 'Used', cell: (limit) => <Use of={limit} /> },
                { title: 'State', cell: (limit) => <State of={limit} />, isSecondary: true },
              ]}
            />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

/** Names what is nearly or fully used, and what to do about it. */
function Warning({ limits }: { limits: readonly Limit[] }) {
  const named = (state: Limit['state']) =>
    limits
      .filter((limit) => limit.state === state)
      .map(({ name }) => TITLES[name] ?? name)
      .join(', ')
  const [reached, near] = [named('reached'), named('warning')]
  return (
    <>
      {reached ? (
        <Note tone="bad">
          Limit reached: {reached}. Remove what you no longer need, or ask the operator to raise the limit.
        </Note>
      ) : null}
      {near ? <Note tone="warn">Over 80 % used: {near}.</Note> : null}
    </>
  )
}

function Use({ of: { name, used, limit, state } }: { of: Limit }) {
  const format = name === 'stored_bytes' ? formatBytes : formatNumber
  if (limit === null) return <span className="number quiet">{format(used ?? 0)}, no limit</span>
  if (used === undefined) return <span className="number">{format(limit)}</span>
  const share = Math.min(used / limit, 1)
  const words = `${format(used)} of ${format(limit)}`
  return (
    <span className="limit-use">
      {/* biome-ignore lint/a11y/useSemanticElements: the element meter does not take the colours of the theme. */}
      <span
        className="limit-bar"
        role="meter"
        aria-label={TITLES[name] ?? name}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={words}
      >
        <span className={`limit-fill limit-fill-${state}`} style={{ inlineSize: `${share * 100}%` }} />
      </span>
      <span className="number">{words}</span>
      <span className="number quiet">{formatPercent(used / limit)}</span>
    </span>
  )
}

function State({ of: { state, limit, is_default: isDefault } }: { of: Limit }) {
  if (state === 'reached') return <Badge tone="bad">Limit reached</Badge>
  if (state === 'warning') return <Badge tone="warn">Over 80 %</Badge>
  return <span className="quiet small">{isDefault || limit === null ? '' : 'Set for your organization'}</span>
}
