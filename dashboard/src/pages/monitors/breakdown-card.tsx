import { useDeferredValue, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { EmptyState, Loaded } from '../../ui/feedback.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { formatCount, formatNumber, formatPercent } from '../../ui/format.ts'
import { Card } from '../../ui/page.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useQueryState } from '../../ui/time-range.ts'
import {
  type Breakdown,
  type ChartChoice,
  hasVerdicts,
  type Monitor,
  useBreakdown,
  useSpanAttributes,
} from './monitor-queries.ts'
import { formatterOf, isNumeric, type SchemaField } from './words.ts'

const BY = [
  { value: 'model', label: 'Model' },
  { value: 'service', label: 'Service' },
  { value: 'environment', label: 'Environment' },
  { value: 'attribute', label: 'An attribute…' },
]

interface BreakdownCardProps {
  readonly monitor: Monitor
  readonly choice: ChartChoice
  readonly fields: readonly SchemaField[]
}

/** The score by model, service, environment or any attribute. */
export function BreakdownCard({ monitor, choice, fields }: BreakdownCardProps) {
  const [query, change] = useQueryState()
  const named = query.get('by') ?? 'model'
  const attribute = query.get('attribute') ?? ''
  const isAttribute = named === 'attribute'
  const by = isAttribute ? attribute : named
  const breakdown = useBreakdown(monitor.id, by, choice)
  const measured = fields.find(({ name }) => name === choice.property) ?? fields.find(isNumeric)
  return (
    <Card title="Breakdown">
      <div className="stack">
        <div className="evaluations-filters">
          <Field label="By">
            {(ids) => (
              <Select
                {...ids}
                value={named}
                options={BY}
                onChange={(event) => change({ by: event.target.value })}
              />
            )}
          </Field>
          {isAttribute ? (
            <AttributeChoice attribute={attribute} onChoose={(key) => change({ attribute: key })} />
          ) : null}
        </div>
        {by === '' ? (
          <p className="quiet">Type the key of an attribute, for example user.tier, and press Enter.</p>
        ) : (
          <Loaded query={breakdown}>
            {(found) => <Groups breakdown={found} measured={measured} isJudged={hasVerdicts(monitor)} />}
          </Loaded>
        )}
      </div>
    </Card>
  )
}

function AttributeChoice({ attribute, onChoose }: { attribute: string; onChoose: (key: string) => void }) {
  const [typed, setTyped] = useState(attribute)
  const known = useSpanAttributes(useDeferredValue(typed), true)
  const keys = [...new Map((known.data?.attributes ?? []).map((found) => [found.key, found])).values()]
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault()
        onChoose(typed.trim())
      }}
    >
      <Field label="Attribute">
        {({ id }) => (
          <Combobox
            id={id}
            label="Attribute"
            value={typed}
            placeholder="user.tier"
            suggestions={keys.map(({ key, spans }) => ({ value: key, note: formatCount(spans, 'span') }))}
            onChange={(value) => {
              setTyped(value)
              if (keys.some(({ key }) => key === value)) onChoose(value)
            }}
          />
        )}
      </Field>
      <Button type="submit">Show</Button>
    </form>
  )
}

interface GroupsProps {
  readonly breakdown: Breakdown
  readonly measured: SchemaField | undefined
  readonly isJudged: boolean
}

type Group = Breakdown['groups'][number]

const PASSED: Column<Group> = {
  title: 'Pass rate',
  isNumber: true,
  cell: ({ verdicts: { pass, fail } }) => (pass + fail === 0 ? '–' : formatPercent(pass / (pass + fail))),
}

function Groups({ breakdown, measured, isJudged }: GroupsProps) {
  const { groups, version, evaluations_sampled: sampled, evaluations_total: total } = breakdown
  const format = formatterOf(measured)
  if (groups.length === 0)
    return <EmptyState title="Nothing was evaluated in this time">Choose a longer time range.</EmptyState>
  return (
    <div className="stack">
      <Table
        label={`Scores by ${breakdown.by}`}
        rows={groups}
        keyOf={({ value }) => value ?? '\u0000'}
        columns={[
          {
            title: BY.find(({ value }) => value === breakdown.by)?.label ?? breakdown.by,
            cell: ({ value }) => value ?? <span className="quiet">unknown</span>,
          },
          ...(isJudged ? [PASSED] : []),
          {
            title: `Mean ${measured?.label ?? ''}`,
            isNumber: true,
            cell: ({ mean }) => (mean === null ? '–' : format(mean)),
          },
          { title: 'Evaluations', isNumber: true, cell: ({ count }) => formatNumber(count) },
          { title: 'Errors', isNumber: true, isSecondary: true, cell: ({ failed }) => formatNumber(failed) },
        ]}
      />
      <p className="quiet small">
        {sampled < total
          ? `From the newest ${formatNumber(sampled)} of ${formatCount(total, 'evaluation')} of version ${version}.`
          : `From all ${formatCount(total, 'evaluation')} of version ${version} in this time.`}
      </p>
    </div>
  )
}
