import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeSpans, testId } from '../otlp/encode-traces.ts'
import { startService } from '../support/service.ts'
import { readStoredSpans } from '../support/stored-spans.ts'
import { createSetup, setupPath } from './setup-calls.ts'

const SENDERS = 4
const REQUESTS = 40
const CHANGES = 60

const service = await startService()
const selector = { 'gen_ai.system': 'openai' }

let spans = 0
async function sendSpan(): Promise<string> {
  const at = ++spans
  const startUnixNano = BigInt(Date.now()) * 1_000_000n
  const spanId = testId(8, at)
  const answer = await service.call('POST', '/v1/traces', {
    body: encodeSpans({ traceId: testId(16, at), spanId, startUnixNano, attributes: selector }),
    headers: { 'content-type': 'application/x-protobuf' },
  })
  assert.equal(answer.status, 200, answer.text)
  return spanId.toString('hex')
}

async function sendMany(): Promise<void> {
  for (let request = 0; request < REQUESTS; request++) await sendSpan()
}

async function changeMany(): Promise<void> {
  for (let at = 0; at < CHANGES; at++) {
    await createSetup(service, { external_id: `s${at}`, selector })
    if (at % 3 === 0) await service.call('DELETE', setupPath(`s${at}`))
    if (at % 3 === 1)
      await service.call('PUT', setupPath(`s${at}`), { body: { evaluators: ['word-count'], selector } })
  }
}

/** Sends a span after a setup was made, and one after it was deleted, and tells which are which. */
async function changeAndSend(): Promise<{ made: Map<string, string>; gone: Map<string, string> }> {
  const made = new Map<string, string>()
  const gone = new Map<string, string>()
  for (let at = 0; at < REQUESTS; at++) {
    const externalId = `own-${at}`
    await createSetup(service, { external_id: externalId, selector })
    made.set(await sendSpan(), externalId)
    await service.call('DELETE', setupPath(externalId))
    gone.set(await sendSpan(), externalId)
  }
  return { made, gone }
}

test('while setups come, change and go, every span is matched by exactly those of one moment, and no earlier one', async () => {
  const senders = Array.from({ length: SENDERS }, sendMany)
  const [{ made, gone }] = await Promise.all([changeAndSend(), changeMany(), ...senders])

  const matchedBy = new Map(
    (await readStoredSpans(service.store)).map((span) => [span.spanId, span.matchedBy]),
  )
  for (const [spanId, externalId] of made) assert.ok(matchedBy.get(spanId)?.includes(externalId), externalId)
  for (const [spanId, externalId] of gone) assert.ok(!matchedBy.get(spanId)?.includes(externalId), externalId)

  const batches = await service.store.all<{ id: number; revision: number }>(
    'SELECT id, revision FROM span_batches',
  )
  assert.equal(batches.length, spans)
  const matches = await service.store.all<{ batch_id: number; setup_version: number }>(
    'SELECT batch_id, setup_version FROM matches',
  )
  const versions = await service.store.all<{
    number: number
    revision_from: number
    revision_to: number | null
  }>('SELECT number, revision_from, revision_to FROM setup_versions')
  const numerically = (a: number, b: number) => a - b
  for (const { id, revision } of batches) {
    assert.deepEqual(
      matches
        .filter((match) => match.batch_id === id)
        .map((match) => match.setup_version)
        .toSorted(numerically),
      versions
        .filter(
          ({ revision_from: from, revision_to: to }) => from <= revision && (to === null || to > revision),
        )
        .map(({ number }) => number)
        .toSorted(numerically),
      `batch ${id} at revision ${revision}`,
    )
  }
  // The test has looked at something only if the spans met many moments.
  assert.ok(new Set(batches.map(({ revision }) => revision)).size > 10)
})
