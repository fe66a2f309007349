import type { TraceBatch } from './scan-traces.ts'

/** The rejected part of a request that was otherwise accepted. */
export interface PartialSuccess {
  readonly rejectedSpans: number
  readonly errorMessage: string
}

/** The message to the sender about the spans of a batch that were rejected; undefined when there are none. */
export function partialSuccessOf(batch: TraceBatch): PartialSuccess | undefined {
  const { rejectedCount, rejected, spans } = batch
  if (rejectedCount === 0) return undefined
  const reasons = rejected.map(({ index, reason }) => `span ${index}: ${reason}`)
  const more = rejectedCount > rejected.length ? `; and ${rejectedCount - rejected.length} more` : ''
  const total = spans.length + rejectedCount
  return {
    rejectedSpans: rejectedCount,
    errorMessage: `${rejectedCount} of ${total} spans rejected: ${reasons.join('; ')}${more}`,
  }
}
