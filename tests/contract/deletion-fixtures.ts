import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { zstdCompressSync } from 'node:zlib'
import { digestSpans } from '../../src/domain/digest-spans.ts'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import { addUnit, emptyUnits } from '../../src/domain/unit-set.ts'
import { scanTraces } from '../../src/lib/otlp/scan-traces.ts'
import { unpackSpansSync } from '../../src/lib/otlp/stored-spans.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { encodeTraces, type TestSpan } from '../otlp/encode-traces.ts'
import { AT_MS } from './contract-fixtures.ts'

/** When everything in these tests is erased: late answers of judges need not be waited for any more. */
export const LATER_MS = AT_MS + 2 * 86_400_000

export const traceIdOf = (trace: string) => createHash('sha256').update(trace).digest('hex').slice(0, 32)
export const spanIdOf = (span: string) => createHash('sha256').update(span).digest('hex').slice(0, 16)

/** A span that holds bytes which no compression can hide, so that they can be looked for in the files of a store. */
export function spanWith(trace: string, span: string, secret: Uint8Array, session?: string): TestSpan {
  return {
    traceId: Buffer.from(traceIdOf(trace), 'hex'),
    spanId: Buffer.from(spanIdOf(span), 'hex'),
    name: span,
    startUnixNano: BigInt(AT_MS) * 1_000_000n,
    endUnixNano: BigInt(AT_MS + 5) * 1_000_000n,
    attributes: { secret, ...(session === undefined ? {} : { 'session.id': session }) },
  }
}

/** Stores spans as one batch that every setup matches; its id. */
export async function store(
  storage: Storage,
  tenant: EnvironmentTenant,
  spans: readonly TestSpan[],
  arrival: { readonly isQueued?: boolean; readonly receivedAtMs?: number; readonly bytes?: Uint8Array } = {},
) {
  const { revision, current } = await storage.readCatalogue(tenant)
  const bytes = encodeTraces([{ resource: { 'service.name': 'shop' }, scopes: [{ spans }] }])
  const views = scanTraces(bytes).spans
  const admission = await storage.admitSpans(tenant, {
    revision,
    receivedAtMs: AT_MS,
    bytes: zstdCompressSync(bytes),
    byteLength: bytes.length,
    knownFaults: [],
    ids: Buffer.concat(views.flatMap(({ traceIdBytes, spanIdBytes }) => [traceIdBytes, spanIdBytes])),
    startSeconds: new Float64Array(views.length).fill(Math.floor(AT_MS / 1_000)),
    matches: current.map(({ setupVersion }) => {
      const units = emptyUnits(views.length)
      for (const ordinal of views.keys()) addUnit(units, ordinal)
      return { setupVersion, units }
    }),
    ...arrival,
  })
  assert.ok(admission !== 'stale')
  return admission
}

/** Sums up everything that is stored. */
export async function sumUp(storage: Storage): Promise<void> {
  const { after, batches } = await storage.digest.readUndigested(100)
  const digests = batches.map((batch) =>
    digestSpans(batch.batchId, unpackSpansSync(batch), new Set(batch.repeated)),
  )
  assert.ok(await storage.digest.recordDigests(after, digests, 0))
}

/** Erases everything that was deleted. */
export async function eraseAll(storage: Storage): Promise<void> {
  while (await storage.erasure.eraseDeleted(LATER_MS));
}

/** The spans that can be listed, by name, read through the places that the list gives. */
export async function namesOf(storage: Storage, tenant: EnvironmentTenant): Promise<string[]> {
  const second = Math.floor(AT_MS / 1_000)
  const refs = await storage.listSpanRefs(tenant, {
    ...{ fromSecond: 0, toSecond: second + 10, isDescending: false, limit: 100 },
  })
  const batches = await storage.readBatches(tenant, [...new Set(refs.map(({ batchId }) => batchId))])
  const views = new Map(batches.map((batch) => [batch.batchId, unpackSpansSync(batch)]))
  return refs.map(({ batchId, ordinal }) => views.get(batchId)?.[ordinal]?.name ?? 'nothing').sort()
}
