import { Link } from 'wouter'
import { Status } from '../../ui/badge.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { Card } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useMonitorsOf } from './evaluator-queries.ts'

/** Where an evaluator is at work. */
export function MonitorsUsing({ slug }: { slug: string }) {
  const monitors = useMonitorsOf(slug)
  return (
    <Card title="Monitors" actions={<Link href={`/monitors?evaluator=${slug}`}>All monitors</Link>}>
      <Loaded query={monitors} lines={2}>
        {({ monitors: found }) => (
          <Table
            label="Monitors that use this evaluator"
            rows={found}
            keyOf={({ id }) => id}
            empty={<p className="quiet">None yet. Add this evaluator to a setup to get one.</p>}
            columns={[
              {
                title: 'Setup',
                cell: ({ id, external_id: setup }) => <Link href={`/monitors/${id}`}>{setup}</Link>,
              },
              { title: 'State', cell: ({ status }) => <Status of={status} /> },
              {
                title: 'Evaluator version',
                cell: ({ evaluator_version: version }) => version,
                isNumber: true,
              },
              {
                title: 'Last result',
                cell: ({ last_run_at: at }) => (at ? <Time at={at} as="ago" /> : '–'),
                isSecondary: true,
              },
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}
