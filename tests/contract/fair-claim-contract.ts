import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import type { Storage } from '../../src/ports/storage.ts'
import type { ClaimedWork } from '../../src/ports/work-storage.ts'
import { charCount, createTenant, type StorageHarness } from './contract-fixtures.ts'
import { bindSetup } from './result-fixtures.ts'
import { admit, packed } from './span-fixtures.ts'

const LEASE_MS = 60_000

/** A tenant with a monitor that has so many batches waiting, oldest first. */
async function tenantWithWork(storage: Storage, name: string, batches: number): Promise<EnvironmentTenant> {
  const tenant = await createTenant(storage, name)
  await bindSetup(storage, tenant, 's', { evaluators: [charCount] })
  await addWork(storage, tenant, name, batches)
  return tenant
}

async function addWork(
  storage: Storage,
  tenant: EnvironmentTenant,
  name: string,
  batches: number,
): Promise<void> {
  for (let at = 0; at < batches; at++) {
    await admit(storage, tenant, await packed(storage, tenant, [`${name} ${at} ${Math.random()}`], true))
  }
}

const batchesOf = (work: readonly ClaimedWork[]) => new Set(work.map(({ batchId }) => batchId)).size
const projectsOf = (work: readonly ClaimedWork[]) => work.map(({ project }) => project)

/** The promises of every store about the turns of projects. */
export function describeFairClaims(harness: StorageHarness): void {
  test('projects share the places of a claim, however much one of them has waiting', async () => {
    const storage = await harness.open()
    await tenantWithWork(storage, 'noisy', 30)
    await tenantWithWork(storage, 'quiet', 1)
    const work = await storage.work.claimWork('local', 2, LEASE_MS)
    assert.equal(new Set(projectsOf(work)).size, 2)
    let left = 29
    while (left > 0) {
      const next = batchesOf(await storage.work.claimWork('local', 10, LEASE_MS))
      assert.ok(next > 0, 'one claim after the other takes all of it')
      left -= next
    }
    assert.equal(left, 0)
  })

  test('a project that has had more than others comes after them, and of one project the oldest batch is first', async () => {
    const storage = await harness.open()
    await tenantWithWork(storage, 'noisy', 4)
    const [first] = await storage.work.claimWork('local', 1, LEASE_MS)
    await tenantWithWork(storage, 'quiet', 4)
    assert.ok(first)
    const turns = { ahead: [first.project], resting: [] }
    const [second] = await storage.work.claimWork('local', 1, LEASE_MS, turns)
    const [third] = await storage.work.claimWork('local', 1, LEASE_MS, turns)
    assert.ok(second && third)
    assert.notEqual(second.project, first.project)
    assert.equal(third.project, second.project)
    assert.ok(third.batchId > second.batchId)
    const back = { ahead: [second.project, first.project], resting: [] }
    assert.equal((await storage.work.claimWork('local', 1, LEASE_MS, back))[0]?.project, second.project)
    const other = { ahead: [first.project, second.project], resting: [] }
    assert.equal((await storage.work.claimWork('local', 1, LEASE_MS, other))[0]?.project, first.project)
  })

  test('a project that rests gets nothing, and its work stays for later', async () => {
    const storage = await harness.open()
    await tenantWithWork(storage, 'noisy', 3)
    const [held] = await storage.work.claimWork('local', 1, LEASE_MS)
    assert.ok(held)
    const resting = { ahead: [], resting: [held.project] }
    assert.deepEqual(await storage.work.claimWork('local', 10, LEASE_MS, resting), [])
    await tenantWithWork(storage, 'quiet', 1)
    const [quiet] = await storage.work.claimWork('local', 10, LEASE_MS, resting)
    assert.ok(quiet && quiet.project !== held.project)
    assert.equal(batchesOf(await storage.work.claimWork('local', 10, LEASE_MS)), 2)
  })

  test('a project all of whose work is held does not stand in the way of others', async () => {
    const storage = await harness.open()
    await tenantWithWork(storage, 'busy', 3)
    assert.equal(batchesOf(await storage.work.claimWork('local', 10, LEASE_MS)), 3)
    await tenantWithWork(storage, 'next', 2)
    assert.equal(batchesOf(await storage.work.claimWork('local', 1, LEASE_MS)), 1)
    assert.equal(batchesOf(await storage.work.claimWork('local', 1, LEASE_MS)), 1)
  })
}
