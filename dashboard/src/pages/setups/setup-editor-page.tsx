import { useQuery } from '@tanstack/react-query'
import { useParams } from 'wouter'
import { api, ok } from '../../api/client.ts'
import { Loaded } from '../../ui/feedback.tsx'
import { Page } from '../../ui/page.tsx'
import { useQueryState } from '../../ui/time-range.ts'
import { type Definition, definitionOf } from './setup-definition.ts'
import { SetupEditor } from './setup-editor.tsx'

const EMPTY: Definition = { external_id: '', selector: [], evaluators: [], evaluator_configs: [] }

export default function SetupEditorPage() {
  const isNamed = useParams<{ externalId?: string }>().externalId !== undefined
  const [query] = useQueryState()
  const copied = query.get('copy')
  // A setup may be called new, which is the address of a new one.
  const externalId = isNamed ? nameInAddress() : (query.get('edit') ?? undefined)
  if (externalId !== undefined) return <StoredSetup key={externalId} externalId={externalId} isStored />
  if (copied !== null) return <StoredSetup key={`copy of ${copied}`} externalId={copied} isStored={false} />
  return <SetupEditor initial={{ ...EMPTY, evaluators: query.getAll('evaluator') }} isStored={false} />
}

// The router leaves characters such as / and # encoded, and then they cannot be told from a name that has a % in it.
function nameInAddress(): string {
  const name = location.pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function StoredSetup({ externalId, isStored }: { externalId: string; isStored: boolean }) {
  const query = useQuery({
    queryKey: ['setup', externalId],
    queryFn: () =>
      ok(api.GET('/v2/auto-monitor-setups/{external_id}', { params: { path: { external_id: externalId } } })),
    // The form being written is not replaced by a refetch, and opening it again reads it anew.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (!query.data) {
    return (
      <Page title={isStored ? externalId : 'New setup'}>
        <Loaded query={query} lines={8}>
          {() => null}
        </Loaded>
      </Page>
    )
  }
  const definition = definitionOf(query.data)
  return (
    <SetupEditor initial={isStored ? definition : { ...definition, external_id: '' }} isStored={isStored} />
  )
}
