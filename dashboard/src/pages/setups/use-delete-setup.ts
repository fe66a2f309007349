import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import { useToast } from '../../ui/toast.tsx'
import type { Setup } from './setup-definition.ts'

/** Deletes a setup and offers to restore it with the same monitors. */
export function useDeleteSetup() {
  const queries = useQueryClient()
  const toast = useToast()
  const readAnew = () =>
    Promise.all(['setups', 'monitors'].map((name) => queries.invalidateQueries({ queryKey: [name] })))
  const sayWhy = (error: Error) => toast(error.message)
  const restore = async ({ external_id: name }: Setup) => {
    const params = { path: { external_id: name } }
    await ok(api.POST('/v2/auto-monitor-setups/{external_id}/restore', { params }))
    toast(`Restored “${name}” with its monitors. Spans that arrived in between are not scored.`)
    await readAnew()
  }
  return useMutation({
    mutationFn: ({ external_id }: Setup) =>
      ok(api.DELETE('/v2/auto-monitor-setups/{external_id}', { params: { path: { external_id } } })),
    onSuccess: async (_, setup) => {
      toast(`Deleted “${setup.external_id}”.`, () => void restore(setup).catch(sayWhy))
      // The button that had the focus goes with its row.
      document.getElementById('content')?.focus()
      await readAnew()
    },
    onError: sayWhy,
  })
}
