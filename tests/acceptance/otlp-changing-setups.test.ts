import assert from 'node:assert/strict'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { DATABASE_FILE } from '../../src/adapters/sqlite/sqlite-storage.ts'
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

  const matchedBy = new Map(readStoredSpans(service.dataDir).map((span) => [span.spanId, span.matchedBy]))
  for (const [spanId, externalId] of made) assert.ok(matchedBy.get(spanId)?.includes(externalId), externalId)
  for (const [spanId, externalId] of gone) assert.ok(!matchedBy.get(spanId)?.includes(externalId), externalId)

  const db = new DatabaseSync(path.join(service.dataDir, DATABASE_FILE), { readOnly: true, timeout: 5_000 })
  const batches = db.prepare('SELECT id, revision FROM span_batches').all() as {
    id: number
    revision: number
  }[]
  assert.equal(batches.length, spans)
  const versionsOf = (sql: string, ...args: number[]) =>
    (db.prepare(sql).all(...args) as { number: number }[]).map(({ number }) => number)
  for (const { id, revision } of batches) {
    assert.deepEqual(
      versionsOf('SELECT setup_version AS number FROM matches WHERE batch_id = ? ORDER BY 1', id),
      versionsOf(
        `SELECT number FROM setup_versions
         WHERE revision_from <= ? AND (revision_to IS NULL OR revision_to > ?) ORDER BY 1`,
        revision,
        revision,
      ),
      `batch ${id} at revision ${revision}`,
    )
  }
  // The test has looked at something only if the spans met many moments.
  assert.ok(new Set(batches.map(({ revision }) => revision)).size > 10)
  db.close()
})
