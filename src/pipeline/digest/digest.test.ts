import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { eventually } from '../../../tests/support/spans.ts'
import { RefusedData } from '../../domain/errors.ts'
import type { BatchDigest } from '../../domain/trace-digest.ts'
import { invalidInput, PublicError } from '../../lib/public-error.ts'
import type { DigestOutcome, DigestStorage, UndigestedBatch } from '../../ports/trace-storage.ts'
import { Digest } from './digest.ts'

const digestOf = (batchId: number): BatchDigest => ({ batchId, traces: [], usage: [] })

const ANY = { orgId: '', projectId: '' }

/** How often each kind of failure happens to a batch before all goes well. */
interface Faults {
  /** The error of this read; undefined: it succeeds. */
  readonly read?: (batchId: number, time: number) => Error | undefined
  /** The same for storing what was made of it. */
  readonly record?: (outcome: DigestOutcome, time: number) => Error | undefined
}

/** A store with batches 1 to `count`, and a clock that stands still unless a test moves it. */
function digestWith(count: number, { read, record }: Faults) {
  let nowMs = 1_000_000
  let through = 0
  const times = new Map<string, number>()
  const next = (name: string) => {
    times.set(name, (times.get(name) ?? 0) + 1)
    return times.get(name) ?? 0
  }
  const recorded: number[] = []
  const passedOver = new Map<number, { isGivenUp: boolean; retryAtMs: number; attempts: number }>()
  const take = (outcome: DigestOutcome) => {
    const error = record?.(outcome, next(`record ${outcome.batchId}`))
    if (error) throw error
    const { batchId } = outcome
    if ('passedOver' in outcome) {
      const attempts = (passedOver.get(batchId)?.attempts ?? 0) + 1
      passedOver.set(batchId, { ...outcome.passedOver, attempts })
    } else {
      passedOver.delete(batchId)
      recorded.push(batchId)
    }
  }
  const storage: DigestStorage = {
    isDigested: async (_scope, throughBatch) => through >= throughBatch,
    async readUndigested(limit) {
      const ids = Array.from({ length: count }, (_, at) => at + 1).filter((id) => id > through)
      const batches = ids.slice(0, limit).map((batchId) => ({ batchId }) as UndigestedBatch)
      return { after: through, batches }
    },
    async recordDigests(after, outcomes) {
      if (after !== through) return false
      for (const outcome of outcomes) {
        take(outcome)
        through = outcome.batchId
      }
      return true
    },
    async readOverdue(atMs) {
      const due = [...passedOver].filter(([, { retryAtMs }]) => retryAtMs <= atMs)
      return due.map(([batchId, { attempts }]) => ({ ...({ batchId } as UndigestedBatch), attempts }))
    },
    async recordOverdue(outcome) {
      if (!passedOver.has(outcome.batchId)) return false
      take(outcome)
      return true
    },
    async retryGivenUp() {
      for (const [id, row] of passedOver) if (row.isGivenUp) passedOver.set(id, { ...row, retryAtMs: 0 })
    },
  }
  const lines: string[] = []
  const digest = new Digest({
    storage,
    read: async ({ batchId }) => {
      const error = read?.(batchId, next(`read ${batchId}`))
      if (error) throw error
      return digestOf(batchId)
    },
    clock: { nowMs: () => nowMs },
    logger: recordingLogger(lines),
    isBusy: () => false,
    quietMsMin: 0,
  })
  after(() => digest.close())
  return {
    ...{ digest, storage, recorded, passedOver, lines },
    pass(ms: number) {
      nowMs += ms
      digest.wake()
    },
    untilThrough: (batchId: number) =>
      eventually(async () => storage.isDigested(ANY, batchId), 'the digest has come that far'),
  }
}

test('sums up all batches in their order', async () => {
  const { digest, recorded, untilThrough } = digestWith(3, {})
  digest.start()
  await untilThrough(3)
  await digest.close()
  assert.deepEqual(recorded, [1, 2, 3])
})

test('gives up a batch that cannot be read, says so, and goes on behind it', async () => {
  for (const error of [invalidInput('not spans'), new RangeError('offset is out of range')]) {
    const { digest, recorded, passedOver, lines, untilThrough } = digestWith(4, {
      read: (id) => (id === 2 ? error : undefined),
    })
    digest.start()
    await untilThrough(4)
    await digest.close()
    assert.deepEqual(recorded, [1, 3, 4])
    assert.equal(passedOver.get(2)?.isGivenUp, true)
    assert.ok(lines.some((line) => line.includes('given up')))
  }
})

test('a store that fails is no fault of a batch, however often it fails', async () => {
  const full = new Error('database or disk is full')
  const { digest, recorded, passedOver, untilThrough } = digestWith(3, {
    record: (_outcome, time) => (time <= 6 ? full : undefined),
  })
  digest.start()
  for (let wake = 0; wake < 6; wake++) {
    await eventually(async () => {
      digest.wake()
      return true
    }, 'woken')
  }
  await eventually(async () => {
    digest.wake()
    return recorded.length === 3
  }, 'everything is summed up when the store works again')
  await untilThrough(3)
  await digest.close()
  assert.deepEqual(recorded, [1, 2, 3])
  assert.equal(passedOver.size, 0, 'nothing was passed over')
})

test('gives up a batch whose sums the store refuses, and no other', async () => {
  const refusal = new RefusedData(new Error('a value is too large'))
  const { digest, recorded, passedOver, untilThrough } = digestWith(4, {
    record: (outcome) => (outcome.batchId === 2 && !('passedOver' in outcome) ? refusal : undefined),
  })
  digest.start()
  await untilThrough(4)
  await digest.close()
  assert.deepEqual(recorded, [1, 3, 4])
  assert.equal(passedOver.get(2)?.isGivenUp, true)
})

for (const [what, error] of [
  ['too slow', new PublicError('deadline', 'took longer than 60000 ms')],
  ['out of memory', new PublicError('too_large', 'needs more memory')],
  ['gone', new PublicError('unavailable', 'the thread has ended')],
  ['short of memory', new RangeError('Array buffer allocation failed')],
] as const) {
  test(`a thread that is ${what} delays a batch and never gives it up`, async () => {
    const { digest, recorded, passedOver, pass, untilThrough } = digestWith(3, {
      read: (id, time) => (id === 1 && time <= 4 ? error : undefined),
    })
    digest.start()
    await eventually(async () => {
      digest.wake()
      return recorded.length === 2
    }, 'those behind it go first')
    await untilThrough(3)
    assert.equal(passedOver.get(1)?.isGivenUp, false)
    pass(3_600_000)
    await eventually(async () => passedOver.get(1)?.attempts === 2, 'it is tried once more')
    pass(3_600_000)
    await eventually(async () => recorded.includes(1), 'it is summed up at last')
    await digest.close()
    assert.deepEqual(recorded, [2, 3, 1])
    assert.equal(passedOver.size, 0)
  })
}

test('tries what was given up again after a start, and once a day', async () => {
  const found = digestWith(1, { read: (_id, time) => (time <= 2 ? invalidInput('not spans') : undefined) })
  found.digest.start()
  await found.untilThrough(1)
  found.pass(3_600_000)
  await found.digest.close()
  assert.equal(found.passedOver.get(1)?.attempts, 1, 'it is not tried every hour')

  const again = new Digest({
    storage: found.storage,
    read: async ({ batchId }) => digestOf(batchId),
    clock: { nowMs: () => 0 },
    logger: recordingLogger([]),
    isBusy: () => false,
    quietMsMin: 0,
  })
  again.start()
  await eventually(async () => found.recorded.includes(1), 'a new version can read it')
  await again.close()
})
