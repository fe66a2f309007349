import { useQuery } from '@tanstack/react-query'
import { get } from '../api/client.ts'

/** Whose key it is, and what the service says about itself. */
export interface Whoami {
  readonly org_id: string
  readonly org_name: string
  readonly is_operator: boolean
  readonly project: { readonly id: string; readonly name: string; readonly slug: string }
  readonly environment: string
  readonly env_project_id: string
  readonly key: { readonly id: string; readonly name: string; readonly scopes: readonly string[] }
  readonly retention_hours: number
  readonly judge: string | null
  readonly version: string
  readonly otlp: { readonly http_path: string; readonly grpc_port: number | null }
}

export function useWhoami() {
  return useQuery({ queryKey: ['whoami'], queryFn: () => get<Whoami>('/v2/whoami'), staleTime: 60_000 })
}
