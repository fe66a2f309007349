import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { useToast } from '../../ui/toast.tsx'

export type SavedView = components['schemas']['SavedView']
export type SavedViewInput = components['schemas']['SavedViewInput']

const KEY = ['saved-views', 'traces']

/** The saved views of the list of traces. */
export function useSavedViews() {
  return useQuery({
    queryKey: KEY,
    queryFn: () => ok(api.GET('/v2/saved-views', { params: { query: { list: 'traces', limit: 200 } } })),
    select: ({ saved_views: views }) => views,
    staleTime: 60_000,
  })
}

/** Creates a view, or replaces the one of that id. */
export function useSaveView() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ id, body }: { id?: string; body: SavedViewInput }) =>
      id === undefined
        ? ok(api.POST('/v2/saved-views', { body }))
        : ok(api.PUT('/v2/saved-views/{id}', { params: { path: { id } }, body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: KEY }),
  })
}

/** Deletes a view and offers to save it again. */
export function useDeleteView() {
  const queries = useQueryClient()
  const toast = useToast()
  const save = useSaveView()
  return useMutation({
    mutationFn: ({ id }: SavedView) => ok(api.DELETE('/v2/saved-views/{id}', { params: { path: { id } } })),
    onSuccess: (_, { name, list, filter, columns, is_default }) => {
      toast(`Deleted the view “${name}”.`, () =>
        save.mutate({ body: { name, list, filter, columns, is_default } }),
      )
      return queries.invalidateQueries({ queryKey: KEY })
    },
    onError: (error) => toast(error.message),
  })
}
