import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { useMay, useWhoami } from '../../shell/use-whoami.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorNote, Loaded, Note } from '../../ui/feedback.tsx'
import { Card } from '../../ui/page.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { NewKeyForm } from './new-key-form.tsx'

type ApiKey = components['schemas']['ApiKey']

export function ApiKeys() {
  const mayChange = useMay('admin')
  const keys = useQuery({
    queryKey: ['api-keys'],
    queryFn: () => ok(api.GET('/v2/api-keys', {})),
    enabled: mayChange === true,
  })
  const [isMaking, setMaking] = useState(false)
  const [ending, setEnding] = useState<ApiKey>()
  if (mayChange === false) {
    return <Note tone="warn">This key may not see API keys: that needs the scope admin.</Note>
  }
  return (
    <Card
      title="API keys"
      actions={
        <Button variant="primary" onClick={() => setMaking(true)}>
          New key
        </Button>
      }
    >
      <Loaded query={keys}>
        {(data) => (
          <Table
            label="API keys"
            columns={columnsWith(setEnding)}
            rows={inOrder(data.api_keys)}
            keyOf={({ id }) => id}
          />
        )}
      </Loaded>
      <Dialog title="New API key" isOpen={isMaking} onClose={() => setMaking(false)}>
        <NewKeyForm onDone={() => setMaking(false)} />
      </Dialog>
      <RevokeDialog apiKey={ending} onClose={() => setEnding(undefined)} />
    </Card>
  )
}

/** Those that work first, the newest of them first. */
function inOrder(keys: readonly ApiKey[]): ApiKey[] {
  const isEnded = (key: ApiKey) => Number(key.revoked_at !== undefined)
  return keys.toReversed().toSorted((a, b) => isEnded(a) - isEnded(b))
}

function columnsWith(revoke: (key: ApiKey) => void): Column<ApiKey>[] {
  return [
    { title: 'Name', cell: (key) => key.name || <span className="quiet">without a name</span> },
    { title: 'Key', cell: (key) => <code>…{key.hint}</code> },
    { title: 'Environment', cell: (key) => key.environment, isSecondary: true },
    { title: 'Scopes', cell: (key) => key.scopes.join(', '), isSecondary: true },
    { title: 'Created', cell: (key) => <Time at={key.created_at} />, isSecondary: true },
    {
      title: <span className="visually-hidden">State</span>,
      cell: (key) =>
        key.revoked_at ? (
          <Badge>Revoked</Badge>
        ) : (
          <Button
            variant="quiet"
            onClick={() => revoke(key)}
            aria-label={`Revoke ${key.name || `the key …${key.hint}`}`}
          >
            Revoke
          </Button>
        ),
    },
  ]
}

function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  const queries = useQueryClient()
  const toast = useToast()
  const own = useWhoami().data?.key.id
  const revoke = useMutation({
    mutationFn: (id: string) => ok(api.DELETE('/v2/api-keys/{key_id}', { params: { path: { key_id: id } } })),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['api-keys'] })
      toast('Key revoked.')
      onClose()
    },
  })
  return (
    <Dialog title="Revoke this key?" isOpen={apiKey !== undefined} onClose={onClose}>
      <p>
        Requests with <strong>{apiKey?.name || `…${apiKey?.hint}`}</strong> will be refused. This cannot be
        undone.
      </p>
      {apiKey && apiKey.id === own ? (
        <Note tone="warn">You are signed in with this key and will be signed out.</Note>
      ) : null}
      {revoke.error ? <ErrorNote error={revoke.error} /> : null}
      <div className="row">
        <Button variant="danger" isBusy={revoke.isPending} onClick={() => apiKey && revoke.mutate(apiKey.id)}>
          Revoke key
        </Button>
        <Button onClick={onClose}>Keep it</Button>
      </div>
    </Dialog>
  )
}
