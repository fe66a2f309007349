import { useQuery } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import { Loaded } from '../../ui/feedback.tsx'
import { formatCompact, formatNumber, formatUsd } from '../../ui/format.ts'
import { Card } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'

const DAYS = 30
const DAY_MS = 86_400_000

/** The recent use of judges by day and model, the newest first. */
export function JudgeUse() {
  const use = useQuery({
    queryKey: ['judge-usage'],
    queryFn: () => {
      const day = (beforeMs: number) => new Date(Date.now() - beforeMs).toISOString().slice(0, 10)
      return ok(
        api.GET('/v2/judge-usage', { params: { query: { from: day((DAYS - 1) * DAY_MS), until: day(0) } } }),
      )
    },
  })
  return (
    <Card title={`Judge usage in the last ${DAYS} days`}>
      <Loaded query={use}>
        {({ usage }) => (
          <Table
            label="Judge usage"
            rows={usage.toReversed()}
            keyOf={(row) => `${row.day} ${row.external_id ?? ''} ${row.model}`}
            empty={<p className="quiet settings-lead">No judge was asked yet.</p>}
            columns={[
              { title: 'Day (UTC)', cell: (row) => row.day },
              {
                title: 'For',
                cell: (row) => row.external_id ?? <span className="quiet">calls by hand</span>,
              },
              { title: 'Model', cell: (row) => row.model, isSecondary: true },
              { title: 'Calls', cell: (row) => formatNumber(row.calls), isNumber: true },
              {
                title: 'Tokens',
                cell: (row) => formatCompact(row.prompt_tokens + row.completion_tokens),
                isNumber: true,
                isSecondary: true,
              },
              {
                title: 'Cost',
                cell: (row) => (row.unpriced_calls === row.calls ? 'unknown' : formatUsd(row.cost_usd)),
                isNumber: true,
              },
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}
