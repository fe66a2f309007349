import { type UseQueryResult, useMutation } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { Card } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type Provider, providerLabel } from './judge-providers.ts'
import { useRefreshJudges } from './use-refresh-judges.ts'

type ProviderKey = components['schemas']['ProviderKey']

/** Keys of the organization's own at providers; they are stored encrypted and never shown. */
export function ProviderKeys({
  query,
}: {
  query: UseQueryResult<{ readonly provider_keys: readonly ProviderKey[] }>
}) {
  return (
    <Card title="Stored provider keys">
      <Loaded query={query}>
        {({ provider_keys: stored }) => (
          <Table
            label="Provider keys"
            rows={stored}
            keyOf={({ provider }) => provider}
            empty={<p className="quiet settings-lead">No provider keys yet.</p>}
            columns={[
              { title: 'Provider', cell: (row) => providerLabel(row.provider) },
              { title: 'Key', cell: (row) => <KeyCell row={row} /> },
              {
                title: 'Address',
                cell: (row) => row.base_url ?? <span className="quiet">Provider default</span>,
                isSecondary: true,
              },
              { title: 'Stored', cell: (row) => <Time at={row.updated_at} />, isSecondary: true },
              {
                title: <span className="visually-hidden">Delete</span>,
                cell: (row) => <DeleteKey provider={row.provider} />,
              },
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}

function KeyCell({ row: { hint, problem } }: { row: ProviderKey }) {
  return (
    <div className="stack provider-key">
      <span className="row">
        <code>…{hint}</code>
        {problem === undefined ? null : <Badge tone="bad">Cannot be used</Badge>}
      </span>
      {problem === undefined ? null : <span className="small">{problem}</span>}
    </div>
  )
}

function DeleteKey({ provider }: { provider: Provider }) {
  const refresh = useRefreshJudges()
  const toast = useToast()
  const remove = useMutation({
    mutationFn: () => ok(api.DELETE('/v2/provider-keys/{provider}', { params: { path: { provider } } })),
    async onSuccess() {
      await refresh()
      toast(`The ${providerLabel(provider)} key is deleted.`)
    },
  })
  return (
    <Button
      variant="quiet"
      isBusy={remove.isPending}
      onClick={() => remove.mutate()}
      aria-label={`Delete the ${providerLabel(provider)} key`}
    >
      Delete
    </Button>
  )
}
