import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { AT_MS, charCount, nextId } from '../../../tests/contract/contract-fixtures.ts'
import { encodeTraces } from '../../../tests/otlp/encode-traces.ts'
import { openIngest } from '../../../tests/support/ingest-fixture.ts'
import { randomSelectors, randomSpans } from '../../../tests/support/random-selectors.ts'
import { replaceSetup, type Setup } from '../../domain/setup.ts'
import type { EnvironmentTenant } from '../../domain/tenant.ts'
import { startThread } from '../../lib/threads/start-thread.ts'
import type { Storage } from '../../ports/storage.ts'
import { DryRuns } from './dry-run.ts'
import { DryRunCount, type DryRunPlan } from './dry-run-count.ts'

const RUNS = 25
const EVALUATORS = { evaluatorVersions: {}, custom: [], judge: undefined }

function batchesOf(storage: Storage, tenant: EnvironmentTenant) {
  return storage.listBatches(tenant, {
    ...{ envProjectId: tenant.envProjectId, fromMs: AT_MS, toMs: AT_MS + 1, limit: 100 },
  })
}

/** Which of the setups each new span of an environment matched, as it was stored. */
async function storedMatches(storage: Storage, tenant: EnvironmentTenant): Promise<Set<string>[]> {
  const matches: Set<string>[] = []
  for (const { batchId, spanCount, repeated } of await batchesOf(storage, tenant)) {
    for (let ordinal = 0; ordinal < spanCount; ordinal++) {
      if (repeated.includes(ordinal)) continue
      const span = { batchId, ordinal, traceId: '0'.repeat(32), spanId: '0'.repeat(16) }
      const decisions = await storage.readDecisions(tenant, span, { limit: 100 })
      const matching = decisions?.setups.filter(({ isMatched }) => isMatched) ?? []
      matches.push(new Set(matching.map(({ externalId }) => externalId)))
    }
  }
  return matches
}

/** Counts as a dry run does, without its thread. */
async function count(storage: Storage, tenant: EnvironmentTenant, plan: DryRunPlan) {
  const counted = new DryRunCount(plan)
  for (const { batchId, repeated } of await batchesOf(storage, tenant)) {
    for (const batch of await storage.readBatches(tenant, [batchId])) counted.add({ ...batch, repeated })
  }
  return counted.result()
}

test('a dry run matches exactly the spans that were matched when they arrived', async () => {
  const { ingest, storage, tenant: home } = await openIngest()
  const seen = { matched: 0, repeated: 0 }
  // The last one that was tried, to be tried again by a whole dry run.
  let last: { tenant: EnvironmentTenant; proposed: Setup; current: Setup; expected: number[] } | undefined
  const property = fc.asyncProperty(randomSelectors, randomSpans, async (selectors, { resource, spans }) => {
    // Another environment for each run, which therefore begins with nothing.
    const tenant = { ...home, envProjectId: nextId() }
    await storage.createEnvironment(
      home,
      { envProjectId: tenant.envProjectId, slug: tenant.envProjectId },
      AT_MS,
    )
    const name = (at: number) => `${tenant.envProjectId} ${at}`
    const drafts = selectors.map((selector, at) => ({
      ...{ id: nextId(), externalId: name(at) },
      change: { selector, evaluators: [charCount] },
    }))
    const made = await storage.upsertSetups(tenant, drafts, AT_MS)
    assert.ok(made !== 'full')
    const [current] = made
    assert.ok(current)
    const sent = spans.map((span) => ({ ...span, traceId: randomBytes(16), spanId: randomBytes(8) }))
    await ingest.receive(tenant, encodeTraces([{ resource, scopes: [{ spans: sent }] }]), 'protobuf')
    // Some come again, in the company of a new one.
    const again = [...sent.slice(0, 2), { traceId: randomBytes(16), spanId: randomBytes(8) }]
    await ingest.receive(tenant, encodeTraces([{ resource, scopes: [{ spans: again }] }]), 'protobuf')
    seen.repeated += again.length - 1

    const stored = await storedMatches(storage, tenant)
    for (const [at, selector] of selectors.entries()) {
      const proposed = replaceSetup(current, { selector }, AT_MS)
      const plan = { selector, currentSelector: current.selector, entries: [], evaluators: EVALUATORS }
      const told = await count(storage, tenant, plan)
      const is = (matches: Set<string>) => matches.has(name(at))
      const was = (matches: Set<string>) => matches.has(name(0))
      const expected = [
        sent.length + 1,
        stored.filter(is).length,
        stored.filter((matches) => is(matches) && !was(matches)).length,
        stored.filter((matches) => was(matches) && !is(matches)).length,
      ]
      assert.deepEqual([told.spans, told.matched, told.change?.gained, told.change?.lost], expected)
      seen.matched += told.matched
      last = { tenant, proposed, current, expected }
    }
  })
  await fc.assert(property, { numRuns: RUNS })
  assert.ok(seen.matched > 0 && seen.repeated > 0, JSON.stringify(seen))

  assert.ok(last)
  const { tenant, proposed, current, expected } = last
  const dryRuns = new DryRuns({
    lookingMsMax: 300_000,
    ...{ storage, startThread, clock: { nowMs: Date.now }, evaluatorVersions: {} },
    ...{ judgeOf: async () => undefined, costs: { costOf: () => undefined } },
  })
  const window = { fromMs: AT_MS, toMs: AT_MS + 1, spansMax: 1_000 }
  const report = await dryRuns.run(tenant, { proposed, current, ...window })
  assert.deepEqual([report.spans, report.matched, report.change?.gained, report.change?.lost], expected)
})
