import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { useWhoami } from '../../shell/use-whoami.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code.tsx'
import { ErrorNote, Note } from '../../ui/feedback.tsx'
import { Field, Select, TextInput } from '../../ui/field.tsx'

type Scope = components['schemas']['ApiKey']['scopes'][number]

const SCOPES: readonly { readonly scope: Scope; readonly meaning: string }[] = [
  { scope: 'ingest', meaning: 'send spans' },
  { scope: 'read', meaning: 'see everything in the project' },
  { scope: 'write', meaning: 'change setups, evaluators and budgets' },
  { scope: 'admin', meaning: 'make and revoke keys, delete data' },
]

/** Makes a key and shows it, once and never again. */
export function NewKeyForm({ onDone }: { onDone: () => void }) {
  const queries = useQueryClient()
  const whoami = useWhoami()
  const projects = useQuery({ queryKey: ['projects'], queryFn: () => ok(api.GET('/v2/projects', {})) })
  const project = projects.data?.projects.find(({ id }) => id === whoami.data?.project.id)
  const [name, setName] = useState('')
  const [environment, setEnvironment] = useState<string>()
  const [scopes, setScopes] = useState<readonly Scope[]>(['ingest', 'read', 'write'])
  const create = useMutation({
    mutationFn: () =>
      ok(
        api.POST('/v2/api-keys', {
          body: {
            name,
            project_id: whoami.data?.project.id ?? '',
            environment: environment ?? whoami.data?.environment ?? '',
            scopes: [...scopes],
          },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['api-keys'] }),
  })
  if (create.data) return <Made secret={create.data.api_key} onDone={onDone} />
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  const toggle = (scope: Scope) =>
    setScopes(scopes.includes(scope) ? scopes.filter((each) => each !== scope) : [...scopes, scope])
  return (
    <form className="stack" onSubmit={submit}>
      <Field label="Name" hint="The application that uses the key.">
        {(ids) => (
          <TextInput
            {...ids}
            required
            maxLength={255}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label="Environment" hint="Spans sent with this key arrive there.">
        {(ids) => (
          <Select
            {...ids}
            value={environment ?? whoami.data?.environment ?? ''}
            options={(project?.environments ?? []).map(({ slug }) => slug)}
            onChange={(event) => setEnvironment(event.target.value)}
          />
        )}
      </Field>
      <fieldset className="settings-scopes">
        <legend>May</legend>
        {SCOPES.map(({ scope, meaning }) => (
          <label key={scope}>
            <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} />{' '}
            {meaning} <span className="quiet">({scope})</span>
          </label>
        ))}
      </fieldset>
      {create.error ? <ErrorNote error={create.error} /> : null}
      <div className="row">
        <Button type="submit" variant="primary" isBusy={create.isPending} disabled={scopes.length === 0}>
          Create key
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  )
}

function Made({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <div className="stack">
      <Note tone="good">Copy the key now. It is not stored and cannot be shown again.</Note>
      <CodeBlock label="API key" text={secret} />
      <div className="row">
        <Button variant="primary" onClick={onDone}>
          I have copied it
        </Button>
      </div>
    </div>
  )
}
