import { useQuery } from '@tanstack/react-query'
import { api, ok } from '../api/client.ts'

/** The owner of the key, and the facts that the service gives about itself. */
export function useWhoami() {
  return useQuery({ queryKey: ['whoami'], queryFn: () => ok(api.GET('/v2/whoami', {})), staleTime: 60_000 })
}

/** Whether the key may do what needs this scope; undefined while that is not known. */
export function useMay(scope: 'read' | 'write' | 'admin'): boolean | undefined {
  return useWhoami().data?.key.scopes.includes(scope)
}
