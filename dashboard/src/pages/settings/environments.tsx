import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, ok } from '../../api/client.ts'
import { useMay, useWhoami } from '../../shell/use-whoami.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ErrorNote, Loaded } from '../../ui/feedback.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'

export function Environments() {
  const whoami = useWhoami()
  const mayChange = useMay('admin')
  const projects = useQuery({
    queryKey: ['projects'],
    queryFn: () => ok(api.GET('/v2/projects', {})),
    enabled: mayChange === true,
  })
  const rows = projects.data?.projects.flatMap((project) =>
    project.environments.map((environment) => ({ ...environment, project: project.name })),
  )
  return (
    <Card title="Environments">
      <p className="quiet settings-lead">
        A setup belongs to the environment of the key that made it and looks only at spans that arrive there.
        You are in <strong>{whoami.data?.environment}</strong>.
      </p>
      {mayChange === false ? null : (
        <Loaded query={projects}>
          {() => (
            <Table
              label="Environments"
              rows={rows ?? []}
              keyOf={(row) => row.env_project_id}
              columns={[
                { title: 'Environment', cell: (row) => <strong>{row.slug}</strong> },
                { title: 'Project', cell: (row) => row.project },
                { title: 'Id', cell: (row) => <code>{row.env_project_id}</code>, isSecondary: true },
                {
                  title: <span className="visually-hidden">This one</span>,
                  cell: (row) =>
                    row.env_project_id === whoami.data?.env_project_id ? (
                      <Badge tone="accent">Yours</Badge>
                    ) : null,
                },
              ]}
            />
          )}
        </Loaded>
      )}
      {mayChange ? <NewEnvironment projectId={whoami.data?.project.id ?? ''} /> : null}
    </Card>
  )
}

function NewEnvironment({ projectId }: { projectId: string }) {
  const queries = useQueryClient()
  const [slug, setSlug] = useState('')
  const create = useMutation({
    mutationFn: () =>
      ok(
        api.POST('/v2/projects/{project_id}/environments', {
          params: { path: { project_id: projectId } },
          body: { slug },
        }),
      ),
    async onSuccess() {
      setSlug('')
      await queries.invalidateQueries({ queryKey: ['projects'] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form className="settings-inline" onSubmit={submit}>
      <Field label="New environment" hint="For example staging. Create a key for it afterwards.">
        {(ids) => (
          <TextInput {...ids} required value={slug} onChange={(event) => setSlug(event.target.value)} />
        )}
      </Field>
      <Button type="submit" isBusy={create.isPending}>
        Add
      </Button>
      {create.error ? <ErrorNote error={create.error} /> : null}
    </form>
  )
}
