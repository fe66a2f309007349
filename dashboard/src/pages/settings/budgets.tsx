import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { useMay } from '../../shell/use-whoami.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNote, Loaded } from '../../ui/feedback.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { formatUsd } from '../../ui/format.ts'
import { Card } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { JudgeUse } from './judge-use.tsx'

type Budget = components['schemas']['Budget']

export function Budgets() {
  const budgets = useQuery({
    queryKey: ['budgets'],
    queryFn: () => ok(api.GET('/v2/budgets', {})),
    refetchInterval: 15_000,
  })
  const mayChange = useMay('write')
  return (
    <div className="stack">
      <Card title="Judge budgets">
        <p className="quiet settings-lead">
          When a budget is spent, evaluations that would ask a judge are recorded as over budget and are not
          scored. Days and months are UTC.
        </p>
        <Loaded query={budgets}>
          {(data) => (
            <Table
              label="Budgets"
              rows={data.budgets}
              keyOf={(budget) => budget.external_id ?? ''}
              empty={<p className="quiet settings-lead">No budgets yet: judges may spend without a limit.</p>}
              columns={[
                { title: 'For', cell: (budget) => budget.external_id ?? <strong>the whole project</strong> },
                {
                  title: 'Today',
                  cell: (budget) => <Spent of={budget.spent_day_usd} limit={budget.day_usd} />,
                },
                {
                  title: 'This month',
                  cell: (budget) => <Spent of={budget.spent_month_usd} limit={budget.month_usd} />,
                },
                {
                  title: <span className="visually-hidden">Remove</span>,
                  cell: (budget) => (mayChange ? <RemoveBudget budget={budget} /> : null),
                },
              ]}
            />
          )}
        </Loaded>
        {mayChange ? <NewBudget /> : null}
      </Card>
      <JudgeUse />
    </div>
  )
}

function Spent({ of: spent, limit }: { of: number; limit: number | undefined }) {
  if (limit === undefined) return <span className="number quiet">{formatUsd(spent)}, no limit</span>
  return (
    <span className="settings-spent">
      <meter
        min={0}
        max={Math.max(limit, spent, 0.000_001)}
        high={limit * 0.9}
        value={spent}
        aria-label={`${formatUsd(spent)} of ${formatUsd(limit)}`}
      />
      <span className="number">
        {formatUsd(spent)} of {formatUsd(limit)}
      </span>
    </span>
  )
}

function RemoveBudget({ budget }: { budget: Budget }) {
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () =>
      ok(
        api.DELETE('/v2/budgets', {
          params: { query: budget.external_id === undefined ? {} : { external_id: budget.external_id } },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['budgets'] }),
  })
  return (
    <Button
      variant="quiet"
      isBusy={remove.isPending}
      onClick={() => remove.mutate()}
      aria-label={`Remove the budget of ${budget.external_id ?? 'the whole project'}`}
    >
      Remove
    </Button>
  )
}

function NewBudget() {
  const queries = useQueryClient()
  const [setup, setSetup] = useState('')
  const [day, setDay] = useState('')
  const [month, setMonth] = useState('')
  const store = useMutation({
    mutationFn: () =>
      ok(
        api.PUT('/v2/budgets', {
          body: {
            ...(setup ? { external_id: setup } : {}),
            ...(day ? { day_usd: Number(day) } : {}),
            ...(month ? { month_usd: Number(month) } : {}),
          },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['budgets'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    store.mutate()
  }
  return (
    <form className="settings-inline" onSubmit={submit}>
      <Field label="Setup" hint="Empty: the whole project.">
        {(ids) => <TextInput {...ids} value={setup} onChange={(event) => setSetup(event.target.value)} />}
      </Field>
      <Field label="Daily limit (USD)">
        {(ids) => (
          <TextInput
            {...ids}
            type="number"
            min="0"
            step="any"
            value={day}
            onChange={(event) => setDay(event.target.value)}
          />
        )}
      </Field>
      <Field label="Monthly limit (USD)">
        {(ids) => (
          <TextInput
            {...ids}
            type="number"
            min="0"
            step="any"
            value={month}
            onChange={(event) => setMonth(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" isBusy={store.isPending} disabled={!day && !month}>
        Set
      </Button>
      {store.error ? <ErrorNote error={store.error} /> : null}
    </form>
  )
}
