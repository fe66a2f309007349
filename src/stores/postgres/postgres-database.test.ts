import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PostgresServer, startPostgres } from '../../../tests/support/postgres-server.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { PublicError } from '../../lib/public-error.ts'
import { Rows } from '../shared/sql.ts'
import { PostgresDatabase } from './postgres-database.ts'

let server: PostgresServer

before(async () => {
  server = await startPostgres({ isDurable: true })
})

after(() => server?.stop())

function open(options: { url?: string; connectionsMax?: number; statementMsMax?: number } = {}) {
  const db = new PostgresDatabase({
    ...{
      url: server.url,
      connectionsMax: 4,
      statementMsMax: 300_000,
      connectMsMax: 300_000,
      logger: recordingLogger([]),
    },
    ...options,
  })
  after(() => db.close())
  return db
}

let tables = 0

/** A new table of numbers. */
async function numbersIn(db: PostgresDatabase): Promise<string> {
  const table = `numbers_${tables++}`
  await db.exec(`CREATE TABLE ${table} (number BIGINT NOT NULL)`)
  return table
}

async function readNumbers(db: PostgresDatabase, table: string): Promise<number[]> {
  const rows = await db.all<{ number: number }>(`SELECT number FROM ${table} ORDER BY number`)
  return rows.map(({ number }) => number)
}

const isUnavailable = (error: unknown) => error instanceof PublicError && error.kind === 'unavailable'

describe('connections', () => {
  test('give texts back as they were given, also with characters that PostgreSQL does not have', async () => {
    const db = open()
    const texts = ['a\u0000b', '\u0000', '\u0001', '\u00010', '\u0001\u0000\u00011', '👋 plain', '']
    for (const text of texts) {
      const row = await db.get('SELECT $1::text AS text, $2::text[] AS list', text, [text, 'x'])
      assert.equal(row?.['text'], text)
      assert.deepEqual(row?.['list'], [text, 'x'])
    }
    const bytes = Uint8Array.from([0, 1, 255]).subarray(1)
    const row = await db.get(
      'SELECT $1::bytea AS bytes, $2::bytea[] AS list, 7::bigint AS big, ARRAY[7, NULL]::bigint[] AS bigs',
      bytes,
      [bytes],
    )
    assert.deepEqual(row?.['bytes'], Buffer.from([1, 255]))
    assert.deepEqual(row?.['list'], [Buffer.from([1, 255])])
    assert.equal(row?.['big'], 7)
    assert.deepEqual(row?.['bigs'], [7, null])
  })

  test('give rows back as they were given, in their order', async () => {
    const db = open()
    const columns = { text: 'text', number: 'bigint', bytes: 'bytes' } as const
    const given = [
      { text: 'a\u0000b\u0001"\\', number: 2 ** 53 - 1, bytes: Uint8Array.from([0, 1, 255]) },
      { text: '👋', number: -1, bytes: Uint8Array.from([]) },
      { text: null, number: null, bytes: null },
    ]
    const read = (rows: typeof given | { text: string }[]) =>
      db.all(
        `SELECT text, number, bytes FROM ${db.dialect.rows('$1', 'r', columns)} ORDER BY nth`,
        new Rows(rows),
      )
    assert.deepEqual(
      (await read(given)).map((row) => ({
        ...row,
        bytes: row['bytes'] && Uint8Array.from(row['bytes'] as Buffer),
      })),
      given,
    )
    assert.deepEqual(await read([]), [])
    assert.deepEqual(
      (await read([{ text: 'half \ud800' }])).map((row) => row['text']),
      ['half \ufffd'],
    )
  })

  test('store all of a transaction or nothing of it', async () => {
    const db = open()
    const table = await numbersIn(db)
    await assert.rejects(
      db.transaction(async (tx) => {
        await tx.run(`INSERT INTO ${table} VALUES (1)`)
        throw new Error('changed my mind')
      }),
      /changed my mind/,
    )
    await assert.rejects(
      db.transaction(async (tx) => {
        await tx.run(`INSERT INTO ${table} VALUES (1)`)
        await tx.run(`INSERT INTO ${table} VALUES (NULL)`)
      }),
    )
    assert.deepEqual(await readNumbers(db, table), [])
  })

  test('do not say that a transaction is stored in which a statement has failed unnoticed', async () => {
    const db = open()
    const table = await numbersIn(db)
    const careless = db.transaction(async (tx) => {
      await tx.run(`INSERT INTO ${table} VALUES (1)`)
      await tx.run(`INSERT INTO ${table} VALUES (NULL)`).catch(() => {})
    })
    await assert.rejects(careless, /a statement of the transaction has failed/)
    assert.deepEqual(await readNumbers(db, table), [])
  })

  test('go on when a newer program gives a table another column', async () => {
    const db = open({ connectionsMax: 1 })
    const table = await numbersIn(db)
    const all = `SELECT * FROM ${table}`
    await db.run(`INSERT INTO ${table} VALUES (1)`)
    assert.deepEqual(await db.all(all), [{ number: 1 }])
    await open().exec(`ALTER TABLE ${table} ADD COLUMN more TEXT`)
    assert.deepEqual(await db.all(all), [{ number: 1, more: null }])
    await open().exec(`ALTER TABLE ${table} ADD COLUMN most TEXT`)
    const rows = await db.transaction((tx) => tx.all(all))
    assert.deepEqual(rows, [{ number: 1, more: null, most: null }])
  })

  test('do work again from its beginning that got into the way of other work', async () => {
    const db = open()
    const table = await numbersIn(db)
    await db.run(`INSERT INTO ${table} VALUES (1), (2)`)
    const others: (() => void)[] = []
    const bothHaveOne = new Promise<void>((resolve) => others.push(resolve))
    let waiting = 0
    let attempts = 0
    const lockInOrder = (first: number, second: number) =>
      db.transaction(async (tx) => {
        attempts++
        await tx.run(`SELECT 1 FROM ${table} WHERE number % 10 = $1 FOR UPDATE`, first)
        if (++waiting === 2) others[0]?.()
        await bothHaveOne
        await tx.run(`UPDATE ${table} SET number = number + 10 WHERE number % 10 = $1`, second)
        await tx.run(`UPDATE ${table} SET number = number + 10 WHERE number % 10 = $1`, first)
      })
    await Promise.all([lockInOrder(1, 2), lockInOrder(2, 1)])
    assert.equal(attempts, 3)
    assert.deepEqual(await readNumbers(db, table), [21, 22])
  })

  test('end a statement that takes too long, and serve the next one', async () => {
    const db = open({ statementMsMax: 2_000 })
    await assert.rejects(db.all('SELECT pg_sleep(60)'), isUnavailable)
    assert.deepEqual(await db.get('SELECT 1 AS one'), { one: 1 })
  })

  test('are never more than allowed; who finds none free waits', async () => {
    const db = open({ connectionsMax: 2 })
    const pids = await Promise.all(
      Array.from({ length: 20 }, () =>
        db.get<{ pid: number }>('SELECT pg_backend_pid() AS pid, pg_sleep(0.02)'),
      ),
    )
    assert.equal(new Set(pids.map((row) => row?.pid)).size, 2)
  })

  test('see one state of the store in a snapshot, and cannot write there', async () => {
    const db = open()
    const table = await numbersIn(db)
    await db.snapshot(async (tx) => {
      assert.equal((await tx.all(`SELECT 1 FROM ${table}`)).length, 0)
      await db.run(`INSERT INTO ${table} VALUES (1)`)
      assert.equal((await tx.all(`SELECT 1 FROM ${table}`)).length, 0)
    })
    await assert.rejects(
      db.snapshot((tx) => tx.run(`INSERT INTO ${table} VALUES (2)`)),
      ({ cause }: Error) => /read-only/.test(String(cause)),
    )
  })

  test('tell that a commit whose answer is lost may have happened, and do not repeat it', async () => {
    const direct = open()
    const table = await numbersIn(direct)
    const proxy = await proxyThatLosesCommits()
    const db = open({ url: proxy.url })
    let attempts = 0
    const committing = db.transaction(async (tx) => {
      attempts++
      await tx.run(`INSERT INTO ${table} VALUES (1)`)
    })
    await assert.rejects(committing, isUnavailable)
    assert.equal(attempts, 1)
    const untilMs = Date.now() + 300_000
    while ((await readNumbers(direct, table)).length === 0 && Date.now() < untilMs) await sleep(10)
    assert.deepEqual(await readNumbers(direct, table), [1])
  })

  test('may break while nothing runs on them: the call is told, the process goes on', async () => {
    const db = open()
    const table = await numbersIn(db)
    const broken = db.transaction(async (tx) => {
      const row = await tx.get<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      await tx.run(`INSERT INTO ${table} VALUES (1)`)
      await db.run('SELECT pg_terminate_backend($1)', row?.pid ?? 0)
      await sleep(100)
      await tx.run(`INSERT INTO ${table} VALUES (2)`)
    })
    await assert.rejects(broken, isUnavailable)
    assert.deepEqual(await readNumbers(db, table), [])
  })

  test('outlive a restart of the database: nothing acknowledged is lost, and calls go on', async () => {
    const db = open()
    const table = await numbersIn(db)
    const acknowledged: number[] = []
    const faults: unknown[] = []
    let isOver = false
    let next = 0
    const write = async () => {
      while (!isOver) {
        const number = next++
        try {
          await db.transaction(async (tx) => void (await tx.run(`INSERT INTO ${table} VALUES ($1)`, number)))
          acknowledged.push(number)
        } catch (error) {
          faults.push(error)
        }
      }
    }
    const writers = Array.from({ length: 6 }, write)
    await sleep(200)
    await server.restart()
    const before = acknowledged.length
    const untilMs = Date.now() + 300_000
    while (acknowledged.length < before + 50 && Date.now() < untilMs) await sleep(20)
    isOver = true
    await Promise.all(writers)
    assert.ok(acknowledged.length >= before + 50, 'calls go on')
    for (const fault of faults) assert.ok(isUnavailable(fault), String(fault))
    const stored = new Set(await readNumbers(db, table))
    assert.deepEqual(
      acknowledged.filter((number) => !stored.has(number)),
      [],
    )
    assert.equal(stored.size, (await readNumbers(db, table)).length, 'nothing is stored twice')
  })

  test('refuse calls after a while when no database is there', async () => {
    const db = open({ url: 'postgres://postgres@127.0.0.1:1/postgres' })
    await assert.rejects(db.get('SELECT 1'), isUnavailable)
  })
})

/** Passes everything on until a client commits; then the server gets to know of it, but the client hears nothing any more. */
async function proxyThatLosesCommits(): Promise<{ readonly url: string }> {
  const target = new URL(server.url)
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    sockets.add(client).add(upstream)
    client.on('error', () => {})
    upstream.on('error', () => {})
    upstream.pipe(client)
    client.on('data', (chunk) => {
      if (chunk.includes('COMMIT\0')) {
        upstream.unpipe(client)
        upstream.write(chunk, () => setTimeout(() => client.destroy(), 100))
      } else upstream.write(chunk)
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  after(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  const url = new URL(server.url)
  const address = proxy.address()
  url.port = String(typeof address === 'object' && address ? address.port : 0)
  return { url: url.href }
}
