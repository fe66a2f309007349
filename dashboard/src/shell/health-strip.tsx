import { useQuery } from '@tanstack/react-query'
import { Icon } from '../ui/icon.tsx'

const ASK_MS = 30_000

/** Tells the user in a sentence that the service cannot serve requests; undefined while it can. */
function useTrouble(): string | undefined {
  const { data } = useQuery({
    queryKey: ['readiness'],
    // An answer that says no is an answer: only the words differ.
    queryFn: async () => {
      const answer = await fetch('/readyz').catch(() => undefined)
      if (answer === undefined) return 'The server cannot be reached. This page shows what it read before.'
      // An answer whose body is not read keeps its connection.
      await answer.text()
      return answer.ok ? '' : 'The service is not ready: its store does not answer, or it is stopping.'
    },
    refetchInterval: ASK_MS,
    staleTime: ASK_MS,
  })
  return data === '' ? undefined : data
}

/** A line above every page that says that the service is in trouble; nothing while all is well. */
export function HealthStrip() {
  const trouble = useTrouble()
  return (
    <div className="health-strip" role="status">
      {trouble === undefined ? null : (
        <p>
          <Icon name="warning" />
          {trouble}
        </p>
      )}
    </div>
  )
}
