import type { Storage } from '../../ports/storage.ts'
import type { VerifiedBatch, WrongTrace } from '../../ports/verification-storage.ts'
import { type BatchFacts, indexedSpans, isUndamaged, misplacedTraces } from './check-batch.ts'
import type { CheckResult, Fault, VerifyReport } from './verify-report.ts'

/** Batches that one slice reads, and their bytes before compression. */
const BATCHES_MAX = 50
const BYTES_MAX = 4_194_304
/** Batches of one trace that are read to put it together again. */
const TRACE_BATCHES_MAX = 2_000
const EXAMPLES_MAX = 5
const VERSIONS_AT_ONCE = 100

/** Dependencies of a verification. */
export interface VerifyDeps {
  readonly storage: Pick<Storage, 'verification'>
  /** Reads the spans of a batch again; throws when they cannot be read. */
  readonly read: (batch: VerifiedBatch) => Promise<BatchFacts>
  readonly nowMs: () => number
  /** Longest time that anything is kept. */
  readonly retentionHoursMax: number
  /** Whether it puts right what can be derived. */
  readonly isRepairing: boolean
  /** Called between two slices; a pass that must not hold up other work takes its time here. */
  readonly pause?: () => Promise<void>
  /** Told about each check that has ended. */
  readonly onCheck?: (result: CheckResult) => void
}

/**
 * Looks through the whole store, slice by slice, while it is in use. It compares what is stored twice: pages and batches with
 * their checksums, the index, digests, decisions, work and counts with what they were derived from.
 */
export async function verifyStore(deps: VerifyDeps): Promise<VerifyReport> {
  const checks: CheckResult[] = []
  for (const check of [checkPages, checkBatches, checkRelations, checkTraces, checkRollups]) {
    for await (const result of check(deps)) {
      checks.push(result)
      deps.onCheck?.(result)
    }
  }
  const faults = checks.flatMap((check) => check.faults)
  return {
    checks,
    wrong: faults.reduce((sum, { count }) => sum + count, 0),
    repaired: faults.reduce((sum, { repaired }) => sum + repaired, 0),
  }
}

/** Counts faults of one kind and keeps a few of them as examples. */
class Faults {
  readonly #words: string
  readonly #isRepairable: boolean
  readonly #examples: string[] = []
  #count = 0
  #repaired = 0

  constructor(words: string, isRepairable: boolean) {
    this.#words = words
    this.#isRepairable = isRepairable
  }

  add(count: number, repaired: number, example?: string): void {
    this.#count += count
    this.#repaired += repaired
    if (example !== undefined && count > 0 && this.#examples.length < EXAMPLES_MAX)
      this.#examples.push(example)
  }

  list(): Fault[] {
    if (this.#count === 0) return []
    return [
      {
        ...{ count: this.#count, repaired: this.#repaired, words: this.#words },
        ...{ isRepairable: this.#isRepairable, examples: this.#examples },
      },
    ]
  }
}

async function* checkPages({ storage, pause }: VerifyDeps): AsyncGenerator<CheckResult> {
  const faults = new Faults('problems in pages', false)
  let part = 0
  for (; ; part++) {
    const found = await storage.verification.checkPages(part)
    if (!found) break
    for (const problem of found.problems) faults.add(1, 0, `${found.what}: ${problem}`)
    await pause?.()
  }
  yield { name: 'pages of the database', checked: part, unit: ['part', 'parts'], faults: faults.list() }
}

async function* checkBatches(deps: VerifyDeps): AsyncGenerator<CheckResult> {
  const { storage, pause } = deps
  const found = {
    damaged: new Faults('batches are damaged: their bytes are not the ones that were stored', false),
    unreadable: new Faults('batches cannot be read', false),
    unindexed: new Faults('spans are missing from the index', true),
    misplaced: new Faults('places in traces do not fit the spans of their batch', true),
    givenUp: new Faults('batches were given up by the digest, so that their spans are in no trace', false),
  }
  let checked = 0
  for (let after = 0; ; ) {
    const batches = await storage.verification.readBatches(after, BATCHES_MAX, BYTES_MAX)
    const last = batches.at(-1)
    if (!last) break
    for (const batch of batches) await checkBatch(deps, batch, found)
    checked += batches.length
    after = last.batchId
    await pause?.()
  }
  const faults = Object.values(found).flatMap((one) => one.list())
  yield { name: 'batches, their index and digests', checked, unit: ['batch', 'batches'], faults }
}

type BatchFaults = Readonly<Record<'damaged' | 'unreadable' | 'unindexed' | 'misplaced' | 'givenUp', Faults>>

async function checkBatch(deps: VerifyDeps, batch: VerifiedBatch, found: BatchFaults): Promise<void> {
  const when = `batch ${batch.batchId}, received at ${new Date(batch.receivedAtMs).toISOString()}`
  if (isUndamaged(batch) === false) return found.damaged.add(1, 0, when)
  if (batch.digest === 'given_up') found.givenUp.add(1, 0, when)
  const facts = await deps.read(batch).catch((error: unknown) => String((error as Error)?.message ?? error))
  if (typeof facts === 'string') return found.unreadable.add(1, 0, `${when}: ${facts}`)
  await checkSpans(deps, batch, facts, when, found.unindexed)
  const misplaced = misplacedTraces(batch, facts)
  // A batch without any place is told of by another check, which has it summed up as a whole.
  if (misplaced.length === 0 || batch.places.length === 0) return
  for (const traceId of misplaced) {
    const trace = { projectNumber: batch.projectNumber, traceId }
    const isRepaired = deps.isRepairing && (await rebuild(deps, trace, batch))
    found.misplaced.add(1, Number(isRepaired), `trace ${traceId} in ${when}`)
  }
}

async function checkSpans(
  { storage: { verification }, isRepairing }: VerifyDeps,
  batch: VerifiedBatch,
  facts: BatchFacts,
  when: string,
  faults: Faults,
): Promise<void> {
  let missing = await verification.findUnindexed(batch, indexedSpans(batch, facts))
  if (missing.length === 0) return
  // Something may have been deleted since the batch was read.
  const [again] = await verification.readBatches(batch.batchId - 1, 1, 0)
  if (again?.batchId !== batch.batchId) return
  const still = new Set(indexedSpans(again, facts).map(({ ordinal }) => ordinal))
  missing = missing.filter(({ ordinal }) => still.has(ordinal))
  const repaired = isRepairing && missing.length > 0 ? await verification.index(batch, missing) : 0
  faults.add(missing.length, repaired, when)
}

/** Puts a trace together again from all batches it lies in, and from one that it should lie in. */
async function rebuild(deps: VerifyDeps, trace: WrongTrace, extra?: VerifiedBatch): Promise<boolean> {
  const { verification } = deps.storage
  const known = await verification.readTraceBatches(trace, TRACE_BATCHES_MAX + 1)
  if (known.length > TRACE_BATCHES_MAX) return false
  const from = known.map(({ batchId }) => batchId)
  const batches = extra && !from.includes(extra.batchId) ? [...known, extra] : known
  const said = []
  for (const batch of batches.toSorted((left, right) => left.batchId - right.batchId)) {
    const facts = await deps.read(batch).catch(() => undefined)
    if (!facts) return false
    const digest = facts.digest.traces.find(({ traceId }) => traceId === trace.traceId)
    if (digest) said.push({ batchId: batch.batchId, digest })
  }
  return verification.rebuildTrace(trace, from, said)
}

async function* checkRelations({ storage, isRepairing, pause }: VerifyDeps): AsyncGenerator<CheckResult> {
  for (const { name, words, isRepairable } of storage.verification.relations) {
    const faults = new Faults(words, isRepairable)
    let checked = 0
    for (let from: string | undefined; ; ) {
      const slice = await storage.verification.checkRelation(name, from, isRepairing)
      checked += slice.checked
      faults.add(slice.wrong, slice.repaired)
      from = slice.next
      await pause?.()
      if (from === undefined) break
    }
    yield { name, checked, unit: ['row', 'rows'], faults: faults.list() }
  }
}

async function* checkTraces(deps: VerifyDeps): AsyncGenerator<CheckResult> {
  const faults = new Faults('traces have a wrong number of spans', true)
  let checked = 0
  for (let from: string | undefined; ; ) {
    const slice = await deps.storage.verification.checkTraces(from)
    checked += slice.checked
    for (const trace of slice.wrong) {
      const isRepaired = deps.isRepairing && (await rebuild(deps, trace))
      faults.add(1, Number(isRepaired), `trace ${trace.traceId}`)
    }
    from = slice.next
    await deps.pause?.()
    if (from === undefined) break
  }
  yield { name: 'traces and their places', checked, unit: ['trace', 'traces'], faults: faults.list() }
}

async function* checkRollups(deps: VerifyDeps): AsyncGenerator<CheckResult> {
  const { storage, nowMs, retentionHoursMax, isRepairing, pause } = deps
  const { verification } = storage
  const faults = new Faults('minutes of charts do not fit their evaluations', true)
  let checked = 0
  for (let after = 0; ; ) {
    const versions = await verification.listMonitorVersions(after, VERSIONS_AT_ONCE)
    for (const version of versions) {
      const first = await verification.checkRollups(version, retentionHoursMax, nowMs())
      checked += first.checked
      const minutes = await confirmed(deps, version, first.minutes)
      for (const minute of minutes) {
        if (isRepairing) await verification.rebuildRollups(version, minute)
        const when = new Date(minute * 60_000).toISOString()
        faults.add(1, Number(isRepairing), `monitor version ${version}, the minute of ${when}`)
      }
      await pause?.()
    }
    const last = versions.at(-1)
    if (last === undefined) break
    after = last
  }
  yield {
    name: 'evaluations and charts',
    checked,
    unit: ['evaluation', 'evaluations'],
    faults: faults.list(),
  }
}

/** Minutes that are wrong twice; evaluations recorded in between show only once. */
async function confirmed(
  { storage, nowMs, retentionHoursMax }: VerifyDeps,
  version: number,
  minutes: readonly number[],
): Promise<readonly number[]> {
  if (minutes.length === 0) return []
  const again = await storage.verification.checkRollups(version, retentionHoursMax, nowMs())
  return minutes.filter((minute) => again.minutes.includes(minute))
}
