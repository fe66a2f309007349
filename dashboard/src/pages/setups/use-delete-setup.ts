import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import { useToast } from '../../ui/toast.tsx'
import { bodyOf, definitionOf, type Setup } from './setup-definition.ts'

/** Deletes a setup at once and offers to put the same definition back. */
export function useDeleteSetup() {
  const queries = useQueryClient()
  const toast = useToast()
  const readAnew = () => queries.invalidateQueries({ queryKey: ['setups'] })
  const sayWhy = (error: Error) => toast(error.message)
  const putBack = async (setup: Setup) => {
    await ok(api.POST('/v2/auto-monitor-setups', { body: bodyOf(definitionOf(setup)) }))
    toast(`“${setup.external_id}” is back. Its evaluators start anew, as new monitors.`)
    await readAnew()
  }
  return useMutation({
    mutationFn: ({ external_id }: Setup) =>
      ok(api.DELETE('/v2/auto-monitor-setups/{external_id}', { params: { path: { external_id } } })),
    onSuccess: async (_, setup) => {
      toast(
        `Deleted “${setup.external_id}”. Existing scores are kept; undo creates new monitors.`,
        () => void putBack(setup).catch(sayWhy),
      )
      // The button that had the focus goes with its row.
      document.getElementById('content')?.focus()
      await readAnew()
    },
    onError: sayWhy,
  })
}
