import assert from 'node:assert/strict'
import { test } from 'node:test'
import zlib from 'node:zlib'
import { decodeBody } from './request-body.ts'

const BYTES_MAX = 8 * 1024 * 1024
const small = zlib.gzipSync('hello')

test('decompresses bodies however many come at once, and goes on after bad ones', async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 100 }, (_, at) =>
      decodeBody(at % 3 === 0 ? Buffer.from('no gzip') : small, 'gzip', BYTES_MAX),
    ),
  )
  for (const [at, outcome] of outcomes.entries()) {
    if (at % 3 === 0) assert.equal(outcome.status, 'rejected')
    else assert.equal(outcome.status === 'fulfilled' && outcome.value.toString(), 'hello')
  }
  assert.equal((await decodeBody(small, 'gzip', BYTES_MAX)).toString(), 'hello')
})

test('decompresses only a few at a time, because each can become as large as a body may be', async () => {
  const bomb = zlib.gzipSync(Buffer.alloc(BYTES_MAX))
  const finished: string[] = []
  const decode = async (body: Buffer, name: string) => {
    await decodeBody(body, 'gzip', BYTES_MAX)
    finished.push(name)
  }
  await Promise.all([...Array.from({ length: 8 }, () => decode(bomb, 'large')), decode(small, 'small')])
  assert.equal(finished[0], 'large')
  assert.equal(finished.length, 9)
})
