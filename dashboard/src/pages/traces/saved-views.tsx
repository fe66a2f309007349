import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { useMay } from '../../shell/use-whoami.ts'
import { Button } from '../../ui/button.tsx'
import { useQueryState } from '../../ui/time-range.ts'
import { useToast } from '../../ui/toast.tsx'
import { SaveViewDialog } from './save-view-dialog.tsx'
import { type SavedView, useDeleteView, useSavedViews, useSaveView } from './saved-view-queries.ts'
import { traceFilterOf } from './trace-query.ts'
import { useColumns } from './use-columns.ts'
import './saved-views.css'

/** The value in the address that shows all traces although the project has a default view. */
const ALL = 'all'

/** The address of the list as a view saves it. */
function addressOf(view: SavedView): string {
  const address = new URLSearchParams(
    Object.entries(view.filter).map(([name, value]) => [name, String(value)] as [string, string]),
  )
  if (view.columns.length > 0) address.set('columns', view.columns.join(','))
  address.set('saved', view.id)
  return `/traces?${address}`
}

/** The saved views of the project as a row of buttons; the first one shows all traces. */
export function SavedViews() {
  const [address] = useQueryState()
  const [, navigate] = useLocation()
  const views = useSavedViews().data ?? []
  const mayWrite = useMay('write') === true
  const [isSaving, setSaving] = useState(false)
  const selected = views.find(({ id }) => id === address.get('saved'))
  useDefaultView(views)
  return (
    <div className="row saved-views">
      <fieldset className="row saved-view-list" aria-label="Saved views">
        <Button
          className="saved-view"
          aria-pressed={selected === undefined}
          onClick={() => navigate(`/traces?saved=${ALL}`)}
        >
          All traces
        </Button>
        {views.map((view) => (
          <Button
            key={view.id}
            className="saved-view"
            aria-pressed={view.id === selected?.id}
            onClick={() => navigate(addressOf(view))}
          >
            {view.name}
            {view.is_default ? <span className="visually-hidden"> (default)</span> : null}
          </Button>
        ))}
      </fieldset>
      {mayWrite ? (
        <>
          {selected ? <SelectedActions view={selected} /> : null}
          <Button variant="quiet" onClick={() => setSaving(true)}>
            Save as view
          </Button>
          <SaveViewDialog
            isOpen={isSaving}
            onClose={() => setSaving(false)}
            onSaved={(view) => navigate(addressOf(view))}
          />
        </>
      ) : null}
    </div>
  )
}

/** A list that is opened without any choice shows the default view of the project. */
function useDefaultView(views: readonly SavedView[]): void {
  const [address] = useQueryState()
  const [, navigate] = useLocation()
  const usual = views.find(({ is_default: isDefault }) => isDefault)
  const isOpen = address.size === 0
  useEffect(() => {
    if (usual && isOpen) navigate(addressOf(usual), { replace: true })
  }, [usual, isOpen, navigate])
}

/** The actions on the view that is shown: saving changes to it, making it the default, deleting it. */
function SelectedActions({ view }: { view: SavedView }) {
  const [address] = useQueryState()
  const [, navigate] = useLocation()
  const [columns] = useColumns()
  const toast = useToast()
  const save = useSaveView()
  const remove = useDeleteView()
  const filter = traceFilterOf(address)
  const isChanged =
    asText(filter) !== asText(view.filter) ||
    (address.has('columns') && columns.join() !== view.columns.join())
  const { name, list } = view
  const replace = (change: Partial<SavedView>) =>
    save.mutate(
      { id: view.id, body: { name, list, filter: view.filter, columns: view.columns, ...change } },
      { onSuccess: () => toast(`Saved the view “${name}”.`), onError: (error) => toast(error.message) },
    )
  return (
    <>
      {isChanged ? (
        <Button
          isBusy={save.isPending}
          onClick={() => replace({ filter, columns: [...columns], is_default: view.is_default })}
        >
          Update view
        </Button>
      ) : null}
      <Button variant="quiet" onClick={() => replace({ is_default: !view.is_default })}>
        {view.is_default ? 'Remove as default' : 'Make default'}
      </Button>
      <Button
        variant="quiet"
        isBusy={remove.isPending}
        onClick={() => remove.mutate(view, { onSuccess: () => navigate(`/traces?saved=${ALL}`) })}
      >
        Delete view
      </Button>
    </>
  )
}

function asText(filter: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(Object.entries(filter).toSorted(([left], [right]) => (left < right ? -1 : 1)))
}
