import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { AT_MS, charCount, nextId } from '../../../tests/contract/contract-fixtures.ts'
import { encodeTraces } from '../../../tests/otlp/encode-traces.ts'
import { openIngest } from '../../../tests/support/ingest-fixture.ts'
import { randomSelectors, randomSpans } from '../../../tests/support/random-selectors.ts'
import { startThread } from '../../adapters/system/start-thread.ts'
import { replaceSetup, type Setup } from '../../domain/setup.ts'
import type { EnvironmentScope } from '../../domain/tenant.ts'
import type { Storage } from '../../ports/storage.ts'
import { DryRuns } from './dry-run.ts'

const RUNS = 10

/** Which of the setups each new span of a batch matched, as it was stored. */
async function storedMatches(storage: Storage, scope: EnvironmentScope): Promise<Set<string>[]> {
  const range = { envProjectId: scope.envProjectId, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, limit: 100 }
  const matches: Set<string>[] = []
  for (const { batchId, spanCount, repeated } of await storage.listBatches(scope, range)) {
    for (let ordinal = 0; ordinal < spanCount; ordinal++) {
      if (repeated.includes(ordinal)) continue
      const span = { batchId, ordinal, traceId: '0'.repeat(32), spanId: '0'.repeat(16) }
      const decisions = await storage.readDecisions(scope, span, { limit: 100 })
      const matching = decisions?.setups.filter(({ isMatched }) => isMatched) ?? []
      matches.push(new Set(matching.map(({ externalId }) => externalId)))
    }
  }
  return matches
}

test('a dry run matches exactly the spans that were matched when they arrived', async () => {
  const { ingest, storage, scope: home } = await openIngest()
  const dryRuns = new DryRuns({
    storage,
    clock: { nowMs: Date.now },
    startThread,
    evaluatorVersions: {},
    judgeOf: async () => undefined,
    costs: { costOf: () => undefined },
  })
  const seen = { matched: 0, repeated: 0 }
  const property = fc.asyncProperty(randomSelectors, randomSpans, async (selectors, { resource, spans }) => {
    // Another environment for each run, which therefore begins with nothing.
    const scope = { ...home, envProjectId: nextId() }
    await storage.createEnvironment(
      home,
      { envProjectId: scope.envProjectId, slug: scope.envProjectId },
      AT_MS,
    )
    const name = (at: number) => `${scope.envProjectId} ${at}`
    const drafts = selectors.map((selector, at) => ({
      id: nextId(),
      externalId: name(at),
      change: { selector, evaluators: [charCount] },
    }))
    const setups = await storage.upsertSetups(scope, drafts, AT_MS)
    const sent = spans.map((span) => ({ ...span, traceId: randomBytes(16), spanId: randomBytes(8) }))
    const news = { traceId: randomBytes(16), spanId: randomBytes(8) }
    await ingest.receive(scope, encodeTraces([{ resource, scopes: [{ spans: sent }] }]), 'protobuf')
    // Some come again, in the company of a new one.
    const again = [...sent.slice(0, 2), news]
    await ingest.receive(scope, encodeTraces([{ resource, scopes: [{ spans: again }] }]), 'protobuf')
    seen.repeated += again.length - 1

    const stored = await storedMatches(storage, scope)
    const count = (holds: (matches: Set<string>) => boolean) => stored.filter(holds).length
    const current = setups[0] as Setup
    const at = setups.length - 1
    const proposed = replaceSetup(current, { selector: selectors[at] ?? [] }, AT_MS)
    const report = await dryRuns.run(scope, {
      ...{ proposed, current, spansMax: 1_000 },
      ...{ fromMs: AT_MS, toMs: AT_MS + 1 },
    })
    assert.equal(report.spans, sent.length + 1)
    assert.equal(
      report.matched,
      count((matches) => matches.has(name(at))),
    )
    const gained = count((matches) => matches.has(name(at)) && !matches.has(name(0)))
    const lost = count((matches) => !matches.has(name(at)) && matches.has(name(0)))
    assert.deepEqual([report.change?.gained, report.change?.lost], [gained, lost])
    seen.matched += report.matched
  })
  await fc.assert(property, { numRuns: RUNS })
  assert.ok(
    Object.values(seen).every((number) => number > 0),
    JSON.stringify(seen),
  )
})
