import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ok } from '../../api/client.ts'
import { useMay, useWhoami } from '../../shell/use-whoami.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorNote, Loaded } from '../../ui/feedback.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { useToast } from '../../ui/toast.tsx'

export function DataSettings() {
  const whoami = useWhoami()
  const mayDelete = useMay('admin')
  const [isAsking, setAsking] = useState(false)
  return (
    <div className="stack">
      <Card title="Retention">
        <Loaded query={whoami} lines={2}>
          {({ retention_hours: hours, version }) => (
            <>
              <p>
                Spans and evaluations are kept for <strong>{inWords(hours)}</strong>. An organization's time
                is set when it is made; the operator limits it for everybody with{' '}
                <code>ASSAY_RETENTION_HOURS</code>.
              </p>
              <p className="quiet small">Assay {version}</p>
            </>
          )}
        </Loaded>
      </Card>
      {mayDelete ? (
        <Card title="Delete all data">
          <p className="settings-lead">
            Deletes every span, trace, evaluation and score of the project at once. Setups, evaluators, keys
            and budgets stay. One trace or session can be deleted on its own page.
          </p>
          <Button variant="danger" onClick={() => setAsking(true)}>
            Delete all data of the project
          </Button>
          <DeleteDialog isOpen={isAsking} onClose={() => setAsking(false)} />
        </Card>
      ) : null}
    </div>
  )
}

function inWords(hours: number): string {
  return hours % 24 === 0 ? `${hours / 24} ${hours === 24 ? 'day' : 'days'}` : `${hours} hours`
}

function DeleteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const project = useWhoami().data?.project
  const toast = useToast()
  const [typed, setTyped] = useState('')
  const remove = useMutation({
    mutationFn: () =>
      ok(
        api.DELETE('/v2/projects/{project_id}/data', { params: { path: { project_id: project?.id ?? '' } } }),
      ),
    onSuccess() {
      toast('All data is deleted and will be erased from the store.')
      setTyped('')
      onClose()
    },
  })
  return (
    <Dialog title="Delete all data?" isOpen={isOpen} onClose={onClose}>
      <p>This cannot be undone.</p>
      <Field label={`Type ${project?.slug ?? ''} to confirm`}>
        {(ids) => <TextInput {...ids} value={typed} onChange={(event) => setTyped(event.target.value)} />}
      </Field>
      {remove.error ? <ErrorNote error={remove.error} /> : null}
      <div className="row">
        <Button
          variant="danger"
          isBusy={remove.isPending}
          disabled={typed !== project?.slug}
          onClick={() => remove.mutate()}
        >
          Delete everything
        </Button>
        <Button onClick={onClose}>Keep it</Button>
      </div>
    </Dialog>
  )
}
