import type { BatchDigest } from '../../domain/trace-digest.ts'
import type { DigestOutcome } from '../../ports/trace-storage.ts'

/** Traces that one transaction adds. The only connection that writes is busy with them for some 10 ms. */
const TRACES_MAX = 200

/** The writes that recording digests is made of; each is a transaction, and false when another call has moved on. */
export interface DigestWrites {
  recordDigests(after: number, outcomes: readonly DigestOutcome[], quietMsMin: number): Promise<boolean>
  recordDigestPart(after: number, part: BatchDigest, quietMsMin: number): Promise<boolean>
}

/**
 * Records digests in several transactions where they hold many traces, so that spans that arrive meanwhile are stored in
 * between. When it is cut off, the batches that were finished count, and of the next one those traces are left out
 * that are there already.
 */
export async function recordInParts(
  writes: DigestWrites,
  after: number,
  outcomes: readonly DigestOutcome[],
  quietMsMin: number,
): Promise<boolean> {
  let through = after
  let group: DigestOutcome[] = []
  let room = TRACES_MAX
  const flush = async (): Promise<boolean> => {
    const isRecorded = await writes.recordDigests(through, group, quietMsMin)
    through = group.at(-1)?.batchId ?? through
    group = []
    room = TRACES_MAX
    return isRecorded
  }
  for (const outcome of outcomes) {
    let rest = outcome
    while (tracesOf(rest).length > room) {
      if (group.length > 0) {
        if (!(await flush())) return false
        continue
      }
      const [part, others] = split(rest as BatchDigest)
      if (!(await writes.recordDigestPart(through, part, quietMsMin))) return false
      rest = others
    }
    group.push(rest)
    room -= tracesOf(rest).length
  }
  return flush()
}

function tracesOf(outcome: DigestOutcome): BatchDigest['traces'] {
  return 'passedOver' in outcome ? [] : outcome.traces
}

/** The use of models and the deployments are added with the last part, which also marks the batch as summed up. */
function split({ traces, ...rest }: BatchDigest): [BatchDigest, BatchDigest] {
  return [
    { batchId: rest.batchId, traces: traces.slice(0, TRACES_MAX), usage: [] },
    { ...rest, traces: traces.slice(TRACES_MAX) },
  ]
}
