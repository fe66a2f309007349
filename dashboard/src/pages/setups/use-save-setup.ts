import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ApiError, api, ok } from '../../api/client.ts'
import { useToast } from '../../ui/toast.tsx'
import { bodyOf, type Definition } from './setup-definition.ts'
import { type Fault, placeFault } from './setup-faults.ts'

/** Stores a setup and goes to the list; what the service finds wrong is told with its place. */
export function useSaveSetup(isStored: boolean) {
  const [fault, setFault] = useState<Fault>()
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const toast = useToast()
  const mutation = useMutation({
    mutationFn: (definition: Definition) => store(definition, isStored),
    onMutate: () => setFault(undefined),
    onSuccess: async ({ external_id }) => {
      await queries.invalidateQueries({ queryKey: ['setups'] })
      toast(`Saved “${external_id}”. It is being processed.`)
      navigate('/setups')
    },
    onError: (error, definition) => {
      if (error instanceof ApiError && error.status === 400) setFault(placeFault(error.message, definition))
    },
  })
  return {
    fault,
    error: mutation.error,
    isPending: mutation.isPending,
    isDone: mutation.isSuccess,
    send: mutation.mutate,
    forgetFault: () => {
      setFault(undefined)
      if (mutation.isError) mutation.reset()
    },
  }
}

function store(definition: Definition, isStored: boolean) {
  const body = bodyOf(definition)
  if (!isStored) return ok(api.POST('/v2/auto-monitor-setups', { body }))
  const path = { external_id: definition.external_id }
  return ok(api.PUT('/v2/auto-monitor-setups/{external_id}', { params: { path }, body }))
}
