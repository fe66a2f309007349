// A month of results for the dashboard, through the service's own matching and storage operations; only without HTTP, without
// evaluating and without waiting for the disk. The service must not run meanwhile.

import { randomBytes } from 'node:crypto'
import type { EvaluationOutput } from '../src/domain/evaluation.ts'
import type { EnvironmentTenant } from '../src/domain/tenant.ts'
import { listUnits } from '../src/domain/unit-set.ts'
import { finish } from '../src/lib/sliced.ts'
import { BatchPacker } from '../src/pipeline/ingest/batch-packer.ts'
import type { ClaimedWork, WorkRecord } from '../src/ports/work-storage.ts'
import { foldRollups } from '../src/stores/shared/fold-operations.ts'
import { digestedThrough, recordDigests } from '../src/stores/sqlite/digest-operations.ts'
import { recordWork } from '../src/stores/sqlite/record-operations.ts'
import { admitSpans, readCatalogue } from '../src/stores/sqlite/span-operations.ts'
import { SqliteDatabase } from '../src/stores/sqlite/sqlite-database.ts'
import { SqliteSql } from '../src/stores/sqlite/sqlite-sql.ts'
import { claimWork, readMonitorVersions } from '../src/stores/sqlite/work-operations.ts'

/** Each looks at every span, so that a span makes as many evaluations. */
export const HISTORY_MONITORS = 20
const HISTORY_DAYS = 30
const SPANS_PER_REQUEST = 100
const REQUESTS_PER_COMMIT = 100
const LEASE_MS = 600_000
const DAY_MS = 86_400_000
const SERVICE = 'shop'
const EVALUATORS = ['char-count', 'json-validator', 'tone-detection', 'word-count']
const MODELS = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet-4-5']

/** The setups of the history, one evaluator each. */
export function historySetups(): object[] {
  return Array.from({ length: HISTORY_MONITORS }, (_, at) => ({
    external_id: `watch-${String(at + 1).padStart(2, '0')}`,
    selector: [{ key: 'service.name', value: SERVICE, source: 'resource_attributes', operator: 'equals' }],
    evaluators: [EVALUATORS[at % EVALUATORS.length]],
  }))
}

interface HistorySpan {
  readonly traceId: string
  readonly spanId: string
  readonly startMs: number
}

/** One request of chat calls, evenly over the time from `fromMs` on. */
export function historyRequest(spans: readonly HistorySpan[]): Buffer {
  return Buffer.from(
    JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: SERVICE } }] },
          scopeSpans: [{ spans: spans.map(wireSpan) }],
        },
      ],
    }),
  )
}

/** Spans that begin evenly between two moments. */
export function historySpans(count: number, fromMs: number, toMs: number): HistorySpan[] {
  return Array.from({ length: count }, (_, at) => ({
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    startMs: Math.floor(fromMs + ((toMs - fromMs) * at) / count),
  }))
}

function wireSpan({ traceId, spanId, startMs }: HistorySpan, at: number): object {
  const message = (role: string, content: string) =>
    JSON.stringify([{ role, parts: [{ type: 'text', content }] }])
  return {
    traceId,
    spanId,
    name: 'chat',
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${startMs + 800}000000`,
    attributes: Object.entries({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': MODELS[at % MODELS.length] as string,
      'gen_ai.input.messages': message('user', `Where is order ${at}?`),
      'gen_ai.output.messages': message('assistant', `Order ${at} is on its way and will arrive tomorrow.`),
    }).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  }
}

/** Adds spans of the last month and one result of every monitor for each; tells how many results there are. */
export async function fillHistory(
  file: string,
  tenant: EnvironmentTenant,
  evaluations: number,
  onProgress: (done: number) => void,
): Promise<number> {
  const db = SqliteDatabase.openWriter(file)
  db.exec('PRAGMA synchronous = OFF')
  db.exec('PRAGMA cache_size = -1000000')
  const packer = new BatchPacker()
  packer.follow(tenant.projectId, readCatalogue(db, tenant), true)
  const requests = Math.ceil(evaluations / HISTORY_MONITORS / SPANS_PER_REQUEST)
  const fromMs = Date.now() - HISTORY_DAYS * DAY_MS
  const stepMs = (HISTORY_DAYS * DAY_MS) / requests
  let recorded = 0
  for (let at = 0; at < requests; at++) {
    if (at % REQUESTS_PER_COMMIT === 0) db.exec('BEGIN IMMEDIATE')
    const spans = historySpans(SPANS_PER_REQUEST, fromMs + at * stepMs, fromMs + (at + 1) * stepMs)
    recorded += await storeRequest(db, packer, tenant, spans, fromMs + (at + 1) * stepMs)
    if ((at + 1) % REQUESTS_PER_COMMIT !== 0 && at + 1 < requests) continue
    db.exec('COMMIT')
    onProgress(recorded)
  }
  // As a service that had run all the month would have left it.
  db.exec('BEGIN IMMEDIATE')
  while (await foldRollups(new SqliteSql(db), Date.now()));
  db.exec('COMMIT')
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  return recorded
}

async function storeRequest(
  db: SqliteDatabase,
  packer: BatchPacker,
  tenant: EnvironmentTenant,
  spans: readonly HistorySpan[],
  receivedAtMs: number,
): Promise<number> {
  const { batch } = finish(packer.pack(tenant, historyRequest(spans), 'json'))
  if (!batch) throw new Error('the history made a request without spans')
  const admission = admitSpans(db, tenant, { ...batch, receivedAtMs: Math.floor(receivedAtMs) })
  if (admission === 'stale') throw new Error('the setups changed')
  const digest = packer.digest(admission.batchId, batch, [])
  if (!(await recordDigests(db, digestedThrough(db), [digest], 0))) throw new Error('somebody else sums up')
  const claimed = claimWork(db, 'local', 1, LEASE_MS)
  const versions = readMonitorVersions(
    db,
    claimed.map((work) => work.monitorVersion),
  )
  const slugs = new Map(versions.map(({ number, slug }) => [number, slug]))
  const { evaluations } = await recordWork(
    db,
    claimed.map((work) => recordOf(work, slugs.get(work.monitorVersion) ?? '', spans)),
  )
  return evaluations
}

function recordOf(work: ClaimedWork, slug: string, spans: readonly HistorySpan[]): WorkRecord {
  const outcomes = listUnits(work.units).map((ordinal) => {
    const span = spans[ordinal]
    if (!span) throw new Error(`the batch has no span ${ordinal}`)
    const { traceId, spanId, startMs } = span
    const output = outputOf(slug, ordinal)
    return {
      ...{ ordinal, traceId, spanId, unitAtMs: startMs, application: SERVICE },
      ...{ status: 'scored' as const, output, durationUs: 20 },
    }
  })
  return { work, outcomes, sampledOut: 0 }
}

/** Of the kind that the evaluator answers with: a number, a boolean, a label. */
function outputOf(slug: string, ordinal: number): EvaluationOutput {
  if (slug === 'char-count') return { char_count: 300 + ((ordinal * 37) % 200) }
  if (slug === 'word-count') return { word_count: 40 + ((ordinal * 13) % 60) }
  if (slug === 'tone-detection')
    return { tone: ordinal % 9 === 0 ? 'anger' : 'neutral', score: 0.6 + (ordinal % 40) / 100 }
  return { is_valid_json: ordinal % 11 !== 0 }
}
