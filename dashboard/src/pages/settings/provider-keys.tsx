import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { useMay } from '../../shell/use-whoami.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNote, Loaded } from '../../ui/feedback.tsx'
import { Field, Select, TextInput } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'

type Provider = components['schemas']['ProviderKey']['provider']

const PROVIDERS: readonly Provider[] = ['openai', 'anthropic', 'google', 'azure', 'bedrock']

/** Keys of the organization's own at providers; they are stored encrypted and never shown. */
export function ProviderKeys() {
  const mayChange = useMay('admin')
  const keys = useQuery({
    queryKey: ['provider-keys'],
    queryFn: () => ok(api.GET('/v2/provider-keys', {})),
    enabled: mayChange === true,
  })
  if (!mayChange) return null
  return (
    <Card title="Your own provider keys">
      <Loaded query={keys}>
        {({ provider_keys: stored }) => (
          <Table
            label="Provider keys"
            rows={stored}
            keyOf={({ provider }) => provider}
            empty={<p className="quiet settings-lead">No provider keys yet. The operator's judge is used.</p>}
            columns={[
              { title: 'Provider', cell: (row) => row.provider },
              { title: 'Key', cell: (row) => <code>…{row.hint}</code> },
              {
                title: 'Address',
                cell: (row) => row.base_url ?? <span className="quiet">the provider's own</span>,
                isSecondary: true,
              },
              { title: 'Stored', cell: (row) => <Time at={row.updated_at} />, isSecondary: true },
              {
                title: <span className="visually-hidden">Remove</span>,
                cell: (row) => <RemoveKey provider={row.provider} />,
              },
            ]}
          />
        )}
      </Loaded>
      <NewProviderKey />
    </Card>
  )
}

function useRefresh() {
  const queries = useQueryClient()
  return () =>
    Promise.all(
      ['provider-keys', 'judges', 'whoami'].map((name) => queries.invalidateQueries({ queryKey: [name] })),
    )
}

function RemoveKey({ provider }: { provider: Provider }) {
  const refresh = useRefresh()
  const toast = useToast()
  const remove = useMutation({
    mutationFn: () => ok(api.DELETE('/v2/provider-keys/{provider}', { params: { path: { provider } } })),
    async onSuccess() {
      await refresh()
      toast(`Key for ${provider} removed.`)
    },
  })
  return (
    <Button
      variant="quiet"
      isBusy={remove.isPending}
      onClick={() => remove.mutate()}
      aria-label={`Remove the key for ${provider}`}
    >
      Remove
    </Button>
  )
}

function NewProviderKey() {
  const refresh = useRefresh()
  const [provider, setProvider] = useState<Provider>('openai')
  const [key, setKey] = useState('')
  const [baseUrl, setBaseUrl] = useState('')
  const store = useMutation({
    mutationFn: () =>
      ok(
        api.PUT('/v2/provider-keys/{provider}', {
          params: { path: { provider } },
          body: { api_key: key, ...(baseUrl ? { base_url: baseUrl } : {}) },
        }),
      ),
    async onSuccess() {
      setKey('')
      await refresh()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    store.mutate()
  }
  return (
    <form className="settings-inline" onSubmit={submit}>
      <Field label="Provider">
        {(ids) => (
          <Select
            {...ids}
            value={provider}
            options={PROVIDERS}
            onChange={(event) => setProvider(event.target.value as Provider)}
          />
        )}
      </Field>
      <Field label="Key">
        {(ids) => (
          <TextInput
            {...ids}
            type="password"
            required
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        )}
      </Field>
      <Field label="Address (optional)">
        {(ids) => (
          <TextInput
            {...ids}
            type="url"
            placeholder="https://…/v1"
            value={baseUrl}
            onChange={(event) => setBaseUrl(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" isBusy={store.isPending}>
        Store
      </Button>
      {store.error ? <ErrorNote error={store.error} /> : null}
    </form>
  )
}
