import { Loaded } from '../../ui/feedback.tsx'
import { formatNumber, formatPercent } from '../../ui/format.ts'
import { Card } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { useAgreement } from './monitor-queries.ts'
import type { SchemaField } from './words.ts'

/** How far the monitor and people say the same; a hint where there are no annotations. */
export function AgreementCard({ monitorId, fields }: { monitorId: string; fields: readonly SchemaField[] }) {
  const agreement = useAgreement(monitorId)
  return (
    <Card title="Agreement with people">
      <Loaded query={agreement} lines={2}>
        {({ properties, incomparable, version }) =>
          properties.length === 0 ? (
            <p className="quiet">
              Nobody has scored what version {version} has evaluated. Open an evaluation below and add your
              own score; from ten on it is compared.
            </p>
          ) : (
            <div className="stack">
              <Table
                label="Agreement by field"
                rows={properties}
                keyOf={({ property }) => property}
                columns={[
                  {
                    title: 'Field',
                    cell: ({ property }) => fields.find(({ name }) => name === property)?.label ?? property,
                  },
                  { title: 'Scored by both', isNumber: true, cell: ({ pairs }) => formatNumber(pairs) },
                  { title: 'Agreement', cell: agreementWords },
                ]}
              />
              {incomparable > 0 ? (
                <p className="quiet small">{`${formatNumber(incomparable)} annotations are of another kind and were left out.`}</p>
              ) : null}
            </div>
          )
        }
      </Loaded>
    </Card>
  )
}

interface Agreement {
  readonly agreement?: number | undefined
  readonly kappa?: number | undefined
  readonly correlation?: number | undefined
  readonly mean_difference?: number | undefined
  readonly unavailable?: string | undefined
}

function agreementWords({
  agreement,
  kappa,
  correlation,
  mean_difference: difference,
  unavailable,
}: Agreement): string {
  if (unavailable) return unavailable
  const parts = [
    agreement === undefined ? '' : `the same in ${formatPercent(agreement)}`,
    kappa === undefined ? '' : `kappa ${formatNumber(kappa)} (0 is chance, 1 is perfect)`,
    correlation === undefined ? '' : `correlation ${formatNumber(correlation)}`,
    difference === undefined ? '' : `${formatNumber(difference)} apart on average`,
  ]
  return parts.filter(Boolean).join(', ') || '–'
}
