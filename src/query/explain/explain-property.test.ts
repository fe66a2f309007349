import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { charCount, nextId } from '../../../tests/contract/contract-fixtures.ts'
import { encodeTraces } from '../../../tests/otlp/encode-traces.ts'
import { openIngest } from '../../../tests/support/ingest-fixture.ts'
import { randomSelectors, randomSpans } from '../../../tests/support/random-selectors.ts'
import { explainSpan } from './explain-span.ts'

const RUNS = 25

test('the rules, tried again, say what was decided when the span arrived', async () => {
  const { ingest, storage, tenant } = await openIngest()
  const seen = { matched: 0, unmatched: 0 }
  const property = fc.asyncProperty(randomSelectors, randomSpans, async (selectors, { resource, spans }) => {
    const drafts = selectors.map((selector, at) => ({
      id: nextId(),
      externalId: `setup ${at}`,
      change: { selector, evaluators: [charCount] },
    }))
    await storage.upsertSetups(tenant, drafts, Date.now())
    const sent = spans.map((span) => ({ ...span, traceId: randomBytes(16), spanId: randomBytes(8) }))
    await ingest.receive(tenant, encodeTraces([{ resource, scopes: [{ spans: sent }] }]), 'protobuf')
    for (const { traceId, spanId } of sent) {
      const ids = { traceId: traceId.toString('hex'), spanId: spanId.toString('hex') }
      const { setups } = await explainSpan(storage, tenant, ids, { limit: 100 }, Date.now())
      assert.ok(setups.length >= selectors.length)
      for (const { decision, rules, summary } of setups) {
        assert.equal(rules?.matches, decision.isMatched, summary)
        assert.equal(summary.startsWith('matched'), decision.isMatched, summary)
        seen[decision.isMatched ? 'matched' : 'unmatched']++
      }
    }
  })
  await fc.assert(property, { numRuns: RUNS })
  assert.ok(seen.matched > 20 && seen.unmatched > 20, JSON.stringify(seen))
})
