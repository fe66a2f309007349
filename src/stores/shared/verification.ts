import { listUnits } from '../../domain/unit-set.ts'
import type {
  IndexedSpan,
  VerificationStorage,
  VerifiedBatch,
  WrongTrace,
} from '../../ports/verification-storage.ts'
import { checkImages, IMAGES } from './image-check.ts'
import { checkRelation, RELATIONS } from './relations.ts'
import { checkRollups } from './rollup-check.ts'
import { type BatchRow, SELECT_BATCH, toBatch, toHex } from './span-rows.ts'
import { checkStoredBytes, STORED_BYTES } from './stored-bytes-check.ts'
import type { VerifyDb, VerifyQuery } from './verify-db.ts'

/** Rows of the index of spans, and traces, that one slice looks at. */
const INDEX_ROWS = 20_000
const TRACES = 2_000
const STALE_INDEX = 'index and batches'

interface VerifiedRow extends BatchRow {
  readonly project_number: number
  readonly span_count: number
  readonly checksum: number | null
  readonly is_given_up: number | null
  readonly is_passed: number
  readonly erased: Uint8Array | null
}

/** The checks that are the same in both databases; the adapters add the rest. */
export type SharedVerification = Omit<
  VerificationStorage,
  'checkPages' | 'rebuildTrace' | 'rebuildRollups' | 'begin'
>

/** The checks that are made of statements that both databases understand. */
export function sharedVerification(db: VerifyDb): SharedVerification {
  return {
    readBatches: (after, limit, bytesMax) => readBatches(db, after, limit, bytesMax),
    findUnindexed: (batch, spans) => findUnindexed(db, batch, spans),
    index: (batch, spans) => index(db, batch, spans),
    digestAgain: (batchId, reason) => digestAgain(db, batchId, reason),
    relations: [
      ...RELATIONS.map(({ name, words, isRepairable }) => ({ name, words, isRepairable })),
      { name: STALE_INDEX, words: 'spans in the index belong to no stored batch', isRepairable: true },
      { name: IMAGES, words: 'images are not what was stored', isRepairable: false },
      { name: STORED_BYTES, words: 'projects have a wrong number of stored bytes', isRepairable: true },
    ],
    checkRelation(name, from, isRepairing) {
      if (name === STALE_INDEX) return checkIndex(db, from, isRepairing)
      if (name === IMAGES) return checkImages(db, from)
      if (name === STORED_BYTES) return checkStoredBytes(db, from, isRepairing)
      return checkRelation(db, name, from, isRepairing)
    },
    checkTraces: (from) => checkTraces(db, from),
    readTraceBatches: (trace, limit) => readTraceBatches(db, trace, limit),
    listMonitorVersions: async (after, limit) => {
      const [rows = []] = await db.read({
        sql: 'SELECT number FROM monitor_versions WHERE number > $1 ORDER BY number LIMIT $2',
        values: [after, limit],
      })
      return rows.map((row) => row['number'] as number)
    },
    checkRollups: (version, hoursMax, nowMs) => checkRollups(db, version, hoursMax, nowMs),
    async end(startedAtMs, endedAtMs, findings) {
      await db.write({
        sql: 'UPDATE verifications SET ended_at_ms = $2, findings = $3 WHERE started_at_ms = $1',
        values: [startedAtMs, endedAtMs, findings],
      })
    },
  }
}

async function readBatches(
  db: VerifyDb,
  after: number,
  limit: number,
  bytesMax: number,
): Promise<VerifiedBatch[]> {
  const [sizes = []] = await db.read({
    sql: 'SELECT id, byte_length FROM span_batches WHERE id > $1 ORDER BY id LIMIT $2',
    values: [after, limit],
  })
  let bytes = 0
  let last = after
  for (const row of sizes) {
    bytes += row['byte_length'] as number
    if (last > after && bytes > bytesMax) break
    last = row['id'] as number
  }
  if (last === after) return []
  return readVerified(db, 'b.id > $1 AND b.id <= $2', [after, last])
}

function readTraceBatches(db: VerifyDb, trace: WrongTrace, limit: number): Promise<VerifiedBatch[]> {
  return readVerified(
    db,
    `b.id IN (SELECT batch_id FROM trace_places WHERE project_number = $1 AND trace_id = $2 ORDER BY batch_id LIMIT $3)`,
    [trace.projectNumber, Buffer.from(trace.traceId, 'hex'), limit],
  )
}

/** The batches that are meant, with what refers to them, on one state of the store. */
async function readVerified(
  db: VerifyDb,
  where: string,
  values: NonNullable<VerifyQuery['values']>,
): Promise<VerifiedBatch[]> {
  const columns = SELECT_BATCH.replace(
    'FROM span_batches b',
    `, b.project_number, b.span_count, b.checksum, u.is_given_up, e.units AS erased,
       CASE WHEN b.id <= ${db.digestedThrough} THEN 1 ELSE 0 END AS is_passed
     FROM span_batches b LEFT JOIN undigested_batches u ON u.batch_id = b.id LEFT JOIN erasures e ON e.batch_id = b.id`,
  )
  const [rows = [], places = []] = await db.read(
    { sql: `${columns} JOIN projects p ON p.number = b.project_number WHERE ${where} ORDER BY b.id`, values },
    {
      sql: `SELECT t.batch_id, t.trace_id, t.units FROM trace_places t
            WHERE t.batch_id IN (SELECT b.id FROM span_batches b WHERE ${where})`,
      values,
    },
  )
  const byBatch = Map.groupBy(places, (place) => place['batch_id'] as number)
  return rows.map((given) => {
    const row = given as unknown as VerifiedRow
    return {
      ...toBatch(row),
      repeated: row.repeated === null ? [] : listUnits(row.repeated),
      projectNumber: row.project_number,
      spanCount: row.span_count,
      ...(row.checksum === null ? {} : { checksum: row.checksum }),
      digest:
        row.is_given_up === 1 ? 'given_up' : row.is_passed && row.is_given_up === null ? 'done' : 'waiting',
      erased: row.erased === null ? [] : listUnits(row.erased),
      places: (byBatch.get(row.id) ?? []).map((place) => ({
        traceId: toHex(place['trace_id'] as Uint8Array),
        units: place['units'] as Uint8Array,
      })),
    }
  })
}

async function findUnindexed(
  db: VerifyDb,
  { projectNumber, batchId }: VerifiedBatch,
  spans: readonly IndexedSpan[],
): Promise<IndexedSpan[]> {
  if (spans.length === 0) return []
  const [rows = []] = await db.read({
    sql: `SELECT v.ordinal FROM ${db.spanTable(3)} LEFT JOIN spans s ON s.project_number = $1 AND s.second = v.second
            AND s.trace_id = v.trace_id AND s.span_id = v.span_id
          WHERE s.batch_id IS NULL OR s.batch_id <> $2 OR s.ordinal <> v.ordinal`,
    values: [projectNumber, batchId, ...db.spanValues(spans)],
  })
  const missing = new Set(rows.map((row) => Number(row['ordinal'])))
  return spans.filter(({ ordinal }) => missing.has(ordinal))
}

async function index(
  db: VerifyDb,
  { projectNumber, batchId }: VerifiedBatch,
  spans: readonly IndexedSpan[],
): Promise<number> {
  const hold = db.holdProject ? [{ sql: db.holdProject, values: [projectNumber] }] : []
  const changes = await db.write(...hold, {
    sql: `INSERT INTO spans (project_number, second, trace_id, span_id, batch_id, ordinal)
          SELECT $1, v.second, v.trace_id, v.span_id, $2, v.ordinal FROM ${db.spanTable(3)}
          WHERE EXISTS (SELECT 1 FROM span_batches b WHERE b.id = $2)
            AND NOT EXISTS (SELECT 1 FROM deleted_traces d WHERE d.project_number = $1 AND d.trace_id = v.trace_id)
          ON CONFLICT DO NOTHING`,
    values: [projectNumber, batchId, ...db.spanValues(spans)],
  })
  return changes.at(-1) ?? 0
}

async function digestAgain(db: VerifyDb, batchId: number, reason: string): Promise<boolean> {
  const [changed] = await db.write({
    sql: `INSERT INTO undigested_batches (batch_id, project_number, reason)
          SELECT b.id, b.project_number, $2 FROM span_batches b WHERE b.id = $1 AND b.id <= ${db.digestedThrough}
            AND NOT EXISTS (SELECT 1 FROM trace_places t WHERE t.batch_id = b.id)
          ON CONFLICT (batch_id) DO NOTHING`,
    values: [batchId, reason],
  })
  return (changed ?? 0) > 0
}

/** Spans whose batch is gone. Those that are older than every batch of their project go with retention. */
async function checkIndex(db: VerifyDb, from: string | undefined, isRepairing: boolean) {
  const after = readKey(from)
  const keys = [
    after.project,
    after.second,
    Buffer.from(after.traceId, 'hex'),
    Buffer.from(after.spanId, 'hex'),
  ]
  const behind = '(s.project_number, s.second, s.trace_id, s.span_id) > ($1, $2, $3, $4)'
  const [ends = [], sizes = []] = await db.read(
    {
      sql: `SELECT s.project_number, s.second, s.trace_id, s.span_id FROM spans s WHERE ${behind}
            ORDER BY s.project_number, s.second, s.trace_id, s.span_id LIMIT 1 OFFSET ${INDEX_ROWS - 1}`,
      values: keys,
    },
    {
      sql: `SELECT count(*) AS count FROM (SELECT 1 FROM spans s WHERE ${behind}
            ORDER BY s.project_number, s.second, s.trace_id, s.span_id LIMIT ${INDEX_ROWS}) AS few`,
      values: keys,
    },
  )
  const [end] = ends
  const within = end ? 'AND (s.project_number, s.second, s.trace_id, s.span_id) <= ($5, $6, $7, $8)' : ''
  const values = [
    ...keys,
    ...(end ? [end['project_number'], end['second'], end['trace_id'], end['span_id']] : []),
  ] as NonNullable<VerifyQuery['values']>
  const isStale = `${behind} ${within} AND NOT EXISTS (SELECT 1 FROM span_batches b WHERE b.id = s.batch_id)
    AND s.batch_id > (SELECT min(b.id) FROM span_batches b WHERE b.project_number = s.project_number)`
  const [[found] = []] = await db.read({
    sql: `SELECT count(*) AS count FROM spans s WHERE ${isStale}`,
    values,
  })
  const wrong = Number(found?.['count'] ?? 0)
  if (isRepairing && wrong > 0) await db.write({ sql: `DELETE FROM spans AS s WHERE ${isStale}`, values })
  return {
    checked: Number(sizes[0]?.['count'] ?? 0),
    wrong,
    repaired: isRepairing ? wrong : 0,
    ...(end ? { next: writeKey(end) } : {}),
  }
}

function readKey(from: string | undefined) {
  const [project = '-1', second = '-1', traceId = '', spanId = ''] = from?.split('/') ?? []
  return { project: Number(project), second: Number(second), traceId, spanId }
}

function writeKey(row: Record<string, unknown>): string {
  const ids = [row['trace_id'], row['span_id']].map((id) => toHex(id as Uint8Array))
  return [row['project_number'], row['second'], ...ids].join('/')
}

async function checkTraces(db: VerifyDb, from: string | undefined) {
  const [project = '-1', traceId = ''] = from?.split('/') ?? []
  const [rows = []] = await db.read({
    sql: `SELECT t.project_number, t.trace_id, t.span_count, (
              SELECT coalesce(sum(${db.countUnits}(p.units)), 0) FROM trace_places p
              WHERE p.project_number = t.project_number AND p.trace_id = t.trace_id) AS counted,
            CASE WHEN t.first_ms >= (
              SELECT min(b.received_at_ms) FROM span_batches b WHERE b.project_number = t.project_number)
            THEN 1 ELSE 0 END AS is_whole
          FROM traces t WHERE (t.project_number, t.trace_id) > ($1, $2)
          ORDER BY t.project_number, t.trace_id LIMIT ${TRACES}`,
    values: [Number(project), Buffer.from(traceId, 'hex')],
  })
  const last = rows.length === TRACES ? rows.at(-1) : undefined
  const toTrace = (row: Record<string, unknown>) => ({
    projectNumber: row['project_number'] as number,
    traceId: toHex(row['trace_id'] as Uint8Array),
  })
  return {
    checked: rows.length,
    // A trace keeps its count when old batches of it are no longer kept: then it may be too large, and not too small.
    wrong: rows
      .filter((row) => {
        const [said, counted] = [Number(row['span_count']), Number(row['counted'])]
        return said < counted || (row['is_whole'] === 1 && said !== counted)
      })
      .map(toTrace),
    ...(last ? { next: `${last['project_number']}/${toHex(last['trace_id'] as Uint8Array)}` } : {}),
  }
}
