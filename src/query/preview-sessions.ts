import type { Preview } from '../domain/preview.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import { defined } from '../lib/defined.ts'
import type { StoredSession } from '../ports/trace-storage.ts'
import { inTurns, type PreviewSource, showPreviews } from './show-previews.ts'

/** The previews of sessions, in their order: the question that began the conversation, and its latest answer. */
export async function previewSessions(
  storage: PreviewSource,
  tenant: ProjectTenant,
  sessions: readonly StoredSession[],
): Promise<Preview[]> {
  const ends = await inTurns(sessions, async ({ sessionId }) => {
    const [oldest, newest] = await Promise.all(
      (['oldest', 'newest'] as const).map((order) =>
        storage.listTraces(tenant, { sessionId }, { order, limit: 1 }),
      ),
    )
    return [oldest?.traces[0]?.traceId, newest?.traces[0]?.traceId] as const
  })
  const traceIds = [...new Set(ends.flat().filter((id) => id !== undefined))]
  const previews = await showPreviews(
    storage,
    tenant,
    traceIds.map((traceId) => ({ traceId })),
  )
  const byTrace = new Map(traceIds.map((id, at) => [id, previews[at]]))
  return ends.map(([first = '', last = '']) =>
    defined({ input: byTrace.get(first)?.input, output: byTrace.get(last)?.output }),
  )
}
