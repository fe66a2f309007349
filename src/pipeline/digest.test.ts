import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordingLogger } from '../../tests/support/recording-logger.ts'
import { eventually } from '../../tests/support/spans.ts'
import type { BatchDigest } from '../domain/trace-digest.ts'
import type { DigestStorage, UndigestedBatch } from '../ports/trace-storage.ts'
import { Digest } from './digest.ts'

const digestOf = (batchId: number): BatchDigest => ({
  batchId,
  traces: [],
  usage: [{ minute: 0, service: '', model: 'm' } as unknown as BatchDigest['usage'][number]],
})

/** A store with batches 1 to `count` that refuses to record what `isRefused` says. */
function storeOf(count: number, isRefused: (digest: BatchDigest) => boolean) {
  let through = 0
  const recorded: string[] = []
  const storage: DigestStorage = {
    isDigested: async (_scope, throughBatch) => through >= throughBatch,
    async readUndigested(limit) {
      const ids = Array.from({ length: count }, (_, at) => at + 1).filter((id) => id > through)
      return {
        after: through,
        batches: ids.slice(0, limit).map((batchId) => ({ batchId }) as UndigestedBatch),
      }
    },
    async recordDigests(_after, digests) {
      if (digests.some(isRefused)) throw new Error('refused')
      for (const { batchId, usage } of digests)
        recorded.push(`${batchId}${usage.length === 0 ? ' left out' : ''}`)
      through = digests.at(-1)?.batchId ?? through
      return true
    },
  }
  return { storage, recorded }
}

async function digestAll(
  count: number,
  read: (id: number) => boolean,
  isRefused: (digest: BatchDigest) => boolean,
) {
  const { storage, recorded } = storeOf(count, isRefused)
  const lines: string[] = []
  const digest = new Digest({
    storage,
    read: async ({ batchId }) => {
      if (!read(batchId)) throw new Error('unreadable')
      return digestOf(batchId)
    },
    logger: recordingLogger(lines),
    isBusy: () => false,
    quietMsMin: 0,
  })
  digest.start()
  await eventually(
    async () => storage.isDigested({ orgId: '', projectId: '' }, count),
    'everything is summed up',
  )
  await digest.close()
  return { recorded, lines }
}

test('sums up all batches in their order', async () => {
  const { recorded } = await digestAll(
    3,
    () => true,
    () => false,
  )
  assert.deepEqual(recorded, ['1', '2', '3'])
})

test('leaves out a batch that cannot be read, says so, and goes on behind it', async () => {
  const { recorded, lines } = await digestAll(
    4,
    (id) => id !== 2,
    () => false,
  )
  assert.deepEqual(recorded, ['1', '2 left out', '3', '4'])
  assert.ok(lines.some((line) => line.includes('is left out')))
})

test('leaves out a batch whose sums cannot be stored, and no other', async () => {
  const isRefused = ({ batchId, usage }: BatchDigest) => batchId === 2 && usage.length > 0
  const { recorded } = await digestAll(4, () => true, isRefused)
  assert.deepEqual(recorded, ['1', '2 left out', '3', '4'])
})
