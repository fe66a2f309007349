import { useQueryClient } from '@tanstack/react-query'

/** Reads everything again that depends on judges and their keys. */
export function useRefreshJudges() {
  const queries = useQueryClient()
  return () =>
    Promise.all(
      ['provider-keys', 'judges', 'whoami'].map((name) => queries.invalidateQueries({ queryKey: [name] })),
    )
}
