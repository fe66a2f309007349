import { Loaded } from '../../ui/feedback.tsx'
import { formatCount, formatNumber, formatPercent } from '../../ui/format.ts'
import { Card } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { useAgreement } from './monitor-queries.ts'
import { type SchemaField, VERDICT_NAME } from './words.ts'

/** How far the monitor and people say the same; a hint where there are no annotations. */
export function AgreementCard({ monitorId, fields }: { monitorId: string; fields: readonly SchemaField[] }) {
  const agreement = useAgreement(monitorId)
  return (
    <Card title="Agreement with annotations">
      <Loaded query={agreement} lines={2}>
        {({ properties, incomparable, version }) =>
          properties.length === 0 ? (
            <p className="quiet">
              No annotations for results of version {version} yet. Open an evaluation below and annotate it;
              agreement is computed from ten annotations on.
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
                    cell: ({ property }) =>
                      property === VERDICT_NAME
                        ? 'Verdict'
                        : (fields.find(({ name }) => name === property)?.label ?? property),
                  },
                  { title: 'Pairs', isNumber: true, cell: ({ pairs }) => formatNumber(pairs) },
                  { title: 'Agreement', cell: agreementWords },
                ]}
              />
              {incomparable > 0 ? (
                <p className="quiet small">{`Left out: ${formatCount(incomparable, 'annotation')} of another type.`}</p>
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
    agreement === undefined ? '' : `${formatPercent(agreement)} agree`,
    kappa === undefined ? '' : `kappa ${formatNumber(kappa)} (0 is chance, 1 is perfect)`,
    correlation === undefined ? '' : `correlation ${formatNumber(correlation)}`,
    difference === undefined ? '' : `mean difference ${formatNumber(difference)}`,
  ]
  return parts.filter(Boolean).join(', ') || '–'
}
