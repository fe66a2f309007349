// npm run bench:span-storage [-- --prefill 1000000 --batches 200]: ways to keep spans in SQLite, in one run.
// Every way is measured on a store that already holds `prefill` spans, with synchronous=FULL and one commit per batch of
// 512 spans of about 1.5 KB with random ids. No HTTP, no decoding, no matching: only what the disk has to take.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { zstdCompressSync } from 'node:zlib'

const SPANS_PER_BATCH = 512
const MONITORS_PER_BATCH = 3
const BATCHES_PER_SECOND = 50

interface Batch {
  readonly id: number
  readonly traceIds: readonly Buffer[]
  readonly spanIds: readonly Buffer[]
  /** The content of the row that each span gets: its attributes as JSON text. */
  readonly attributes: readonly string[]
  /** The content of a stored batch: the bytes it came in, compressed. */
  readonly bytes: Buffer
}

interface Way {
  readonly name: string
  readonly schema: string
  readonly write: (db: DatabaseSync) => (batch: Batch) => void
}

const BATCH_TABLE =
  'CREATE TABLE batches (id INTEGER PRIMARY KEY, project INTEGER, revision INTEGER, bytes BLOB) STRICT;'
const INDEX_TABLE = `CREATE TABLE spans (project INTEGER, trace BLOB, span BLOB, batch INTEGER, place INTEGER,
  PRIMARY KEY (project, trace, span)) STRICT, WITHOUT ROWID;`
const WORK_TABLE =
  'CREATE TABLE work (monitor INTEGER, batch INTEGER, units BLOB, PRIMARY KEY (monitor, batch)) STRICT, WITHOUT ROWID;'

const WAYS: readonly Way[] = [
  {
    name: 'a row with parsed attributes per span',
    schema: `CREATE TABLE spans (project INTEGER, trace BLOB, span BLOB, name TEXT, start INTEGER, attributes TEXT,
      PRIMARY KEY (project, trace, span)) STRICT;`,
    write: (db) => {
      const insert = db.prepare('INSERT INTO spans VALUES (1, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
      return (batch) => {
        for (const [at, trace] of batch.traceIds.entries()) {
          insert.run(trace, batch.spanIds[at] ?? null, 'chat gpt-4o', batch.id, batch.attributes[at] ?? null)
        }
      }
    },
  },
  {
    name: 'the batch and an index row per span',
    schema: BATCH_TABLE + INDEX_TABLE,
    write: writeBatchAndIndex,
  },
  {
    name: 'the same and a bitmap of work per monitor',
    schema: BATCH_TABLE + INDEX_TABLE + WORK_TABLE,
    write: (db) => {
      const writeBatch = writeBatchAndIndex(db)
      const insertWork = db.prepare('INSERT INTO work VALUES (?, ?, ?)')
      const units = Buffer.alloc(SPANS_PER_BATCH / 8, 0xff)
      return (batch) => {
        writeBatch(batch)
        for (let monitor = 0; monitor < MONITORS_PER_BATCH; monitor++)
          insertWork.run(monitor, batch.id, units)
      }
    },
  },
  {
    name: 'the batch and an index row per span, by time',
    // A span that is sent again has the same start, so identity holds; rows of now lie together on few pages.
    schema: `${BATCH_TABLE} CREATE TABLE spans (project INTEGER, second INTEGER, trace BLOB, span BLOB, batch INTEGER,
      place INTEGER, PRIMARY KEY (project, second, trace, span)) STRICT, WITHOUT ROWID;`,
    write: (db) => {
      const insertBatch = db.prepare('INSERT INTO batches VALUES (?, 1, 1, ?)')
      const insertSpan = db.prepare('INSERT INTO spans VALUES (1, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
      return (batch) => {
        insertBatch.run(batch.id, batch.bytes)
        const second = Math.floor(batch.id / BATCHES_PER_SECOND)
        for (const [at, trace] of batch.traceIds.entries()) {
          insertSpan.run(second, trace, batch.spanIds[at] ?? null, batch.id, at)
        }
      }
    },
  },
  {
    name: 'the batch and a 64-bit key per span',
    schema: `${BATCH_TABLE} CREATE TABLE spans (key INTEGER PRIMARY KEY, batch INTEGER, place INTEGER) STRICT;`,
    write: (db) => {
      const insertBatch = db.prepare('INSERT INTO batches VALUES (?, 1, 1, ?)')
      const insertSpan = db.prepare('INSERT INTO spans VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
      return (batch) => {
        insertBatch.run(batch.id, batch.bytes)
        for (const [at, trace] of batch.traceIds.entries())
          insertSpan.run(trace.readBigInt64LE(0), batch.id, at)
      }
    },
  },
]

let shared: Pick<Batch, 'attributes' | 'bytes'> | undefined

const { values } = parseArgs({
  options: { prefill: { type: 'string', default: '500000' }, batches: { type: 'string', default: '100' } },
})
const directory = mkdtempSync(path.join(os.tmpdir(), 'assay-bench-'))
console.log(
  `${Number(values.prefill).toLocaleString('en')} spans stored before, ${values.batches} batches of ${SPANS_PER_BATCH} measured`,
)
console.table(Object.fromEntries(WAYS.map((way) => [way.name, measure(way)])))
rmSync(directory, { recursive: true })

function measure(way: Way): Record<string, string> {
  const file = path.join(directory, `${WAYS.indexOf(way)}.db`)
  const db = new DatabaseSync(file)
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; ${way.schema}`)
  const write = way.write(db)
  const prefillBatches = Math.ceil(Number(values.prefill) / SPANS_PER_BATCH)
  for (let id = 0; id < prefillBatches; id++) commit(db, () => write(makeBatch(id)))
  db.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA synchronous = FULL')
  const batches = Array.from({ length: Number(values.batches) }, (_, at) => makeBatch(prefillBatches + at))
  const startMs = performance.now()
  for (const batch of batches) commit(db, () => write(batch))
  const seconds = (performance.now() - startMs) / 1_000
  const pages = db
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
    .get()
  db.close()
  const spans = batches.length * SPANS_PER_BATCH
  const stored = prefillBatches * SPANS_PER_BATCH + spans
  return {
    'spans/s': Math.round(spans / seconds).toLocaleString('en'),
    'bytes/span': String(Math.round(Number(pages?.['bytes']) / stored)),
  }
}

function writeBatchAndIndex(db: DatabaseSync): (batch: Batch) => void {
  const insertBatch = db.prepare('INSERT INTO batches VALUES (?, 1, 1, ?)')
  const insertSpan = db.prepare('INSERT INTO spans VALUES (1, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
  return (batch) => {
    insertBatch.run(batch.id, batch.bytes)
    for (const [at, trace] of batch.traceIds.entries())
      insertSpan.run(trace, batch.spanIds[at] ?? null, batch.id, at)
  }
}

function commit(db: DatabaseSync, write: () => void): void {
  db.exec('BEGIN IMMEDIATE')
  write()
  db.exec('COMMIT')
}

// The same texts for every batch, as an application repeats itself; only the ids differ. Compressed once: how well
// a batch compresses is not the question here.
function makeBatch(id: number): Batch {
  const ids = randomBytes(SPANS_PER_BATCH * 24)
  const places = Array.from({ length: SPANS_PER_BATCH }, (_, at) => at * 24)
  return {
    id,
    traceIds: places.map((at) => ids.subarray(at, at + 16)),
    spanIds: places.map((at) => ids.subarray(at + 16, at + 24)),
    ...content(),
  }
}

function content(): Pick<Batch, 'attributes' | 'bytes'> {
  if (shared) return shared
  const attributes = Array.from({ length: SPANS_PER_BATCH }, () =>
    JSON.stringify({
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.prompt.0.content': text(600),
      answer: text(700),
    }),
  )
  shared = { attributes, bytes: zstdCompressSync(Buffer.from(attributes.join(''))) }
  return shared
}

/** Words of a vocabulary of 4,096: compresses about as well as conversations do. */
function text(chars: number): string {
  let line = ''
  while (line.length < chars)
    line += `${((randomBytes(2).readUInt16LE() % 4_096) * 2_654_435_761).toString(36).slice(-6)} `
  return line
}
