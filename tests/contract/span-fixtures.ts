import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import { addUnit, emptyUnits } from '../../src/domain/unit-set.ts'
import type { Admission, PackedBatch } from '../../src/ports/span-storage.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { AT_MS } from './contract-fixtures.ts'

/** The second in which all spans of these tests begin. */
export const SECOND = Math.floor(AT_MS / 1_000)

export const idsOf = (name: string): [string, string] => {
  const digest = createHash('sha256').update(name).digest('hex')
  return [digest.slice(0, 32), digest.slice(32, 48)]
}

/** A batch of spans with these names, matched by every setup of the project or by none. */
export async function packed(
  storage: Storage,
  tenant: EnvironmentTenant,
  names: readonly string[],
  isMatching = false,
): Promise<PackedBatch> {
  const { revision, current } = await storage.readCatalogue(tenant)
  const ids = Buffer.concat(names.map((name) => Buffer.from(idsOf(name).join(''), 'hex')))
  const matches = current.map(({ setupVersion }) => {
    const units = emptyUnits(names.length)
    for (const at of names.keys()) addUnit(units, at)
    return { setupVersion, units }
  })
  return {
    revision,
    receivedAtMs: AT_MS,
    bytes: Buffer.from('bytes'),
    byteLength: 5,
    knownFaults: [],
    ids: new Uint8Array(ids),
    startSeconds: new Float64Array(names.length).fill(SECOND),
    matches: isMatching ? matches : [],
  }
}

/** Stores a batch and insists that it was taken. */
export async function admit(
  storage: Storage,
  tenant: EnvironmentTenant,
  batch: PackedBatch,
): Promise<Exclude<Admission, 'stale'>> {
  const admission = await storage.admitSpans(tenant, batch)
  assert.ok(admission !== 'stale')
  return admission
}

/** Stores one batch of spans with these names that match nothing; answers its id. */
export async function admitNamed(
  storage: Storage,
  tenant: EnvironmentTenant,
  ...names: readonly string[]
): Promise<number> {
  return (await admit(storage, tenant, await packed(storage, tenant, names))).batchId
}
