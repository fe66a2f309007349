import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError, api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { nameItem, type PlannedItem } from './plan-import.ts'

/** The service takes this many at once, all or none of them. */
const SLICE_SETUPS = 100

/** How an import ended. */
export interface ImportOutcome {
  readonly isDone: boolean
  readonly stored: number
  /** The item of the file that the service complained about, and its words. */
  readonly faultAt?: number
  readonly message?: string
}

/** Stores what an import creates or changes, slice by slice; stops at the first slice that is refused. */
export function useImport(items: readonly PlannedItem[]) {
  const queries = useQueryClient()
  const mutation = useMutation({
    mutationFn: () => importAll(items),
    onSettled: () => queries.invalidateQueries({ queryKey: ['setups'] }),
  })
  return {
    send: () => mutation.mutate(),
    outcome: mutation.data,
    isPending: mutation.isPending,
    error: mutation.error,
  }
}

async function importAll(items: readonly PlannedItem[]): Promise<ImportOutcome> {
  const wanted = items.flatMap(({ effect, body }, at) =>
    effect === 'create' || effect === 'change' ? [{ body, at }] : [],
  )
  for (let stored = 0; stored < wanted.length; stored += SLICE_SETUPS) {
    const slice = wanted.slice(stored, stored + SLICE_SETUPS)
    try {
      await storeSlice(slice.map(({ body }) => body))
    } catch (error) {
      return refusal(error, stored, slice)
    }
  }
  return { isDone: true, stored: wanted.length }
}

function storeSlice(bodies: readonly Record<string, unknown>[]) {
  // The content of the file is sent as it is: the service checks it and names every fault best.
  const setups = bodies as unknown as components['schemas']['SetupInput'][]
  return ok(api.POST('/v2/auto-monitor-setups/bulk', { body: { setups } }))
}

function refusal(error: unknown, stored: number, slice: readonly { readonly at: number }[]): ImportOutcome {
  if (!(error instanceof ApiError) || (stored === 0 && error.status !== 400)) throw error
  return { isDone: false, stored, ...nameItem(error.message, slice) }
}
