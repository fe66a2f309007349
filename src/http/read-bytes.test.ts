import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, type Readable } from 'node:stream'
import { test } from 'node:test'
import { PublicError } from '../lib/public-error.ts'
import { readBytes } from './read-bytes.ts'

const tooLarge = (error: unknown) => error instanceof PublicError && error.kind === 'too_large'

test('reads a body from the wire into memory of its own and gives back the pieces it came in', async () => {
  const sent = randomBytes(1_000_000)
  const pieces: Buffer[] = []
  const read = Promise.withResolvers<Buffer>()
  const server = http.createServer((request, response) => {
    request.on('data', (piece: Buffer) => pieces.push(piece))
    void readBytes(request, request.headers['content-length'], 1_000_000).then(read.resolve, read.reject)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: sent })
  const bytes = await read.promise
  server.close()
  assert.deepEqual(bytes, sent)
  assert.equal(bytes.buffer.byteLength, sent.length)
  assert.ok(pieces.length > 1)
  assert.ok(pieces.every((piece) => piece.length === 0))
})

test('leaves pieces alone that are part of memory somebody else may use', async () => {
  const shared = Buffer.alloc(100_000, 1)
  const body = new PassThrough()
  const reading = readBytes(body, undefined, 100_000)
  body.write(shared.subarray(0, 50_000))
  body.end(shared.subarray(50_000))
  assert.deepEqual(await reading, shared)
  assert.equal(shared.length, 100_000)
})

test('refuses what says it is too large unread, and what turns out to be so', async () => {
  const unread = new PassThrough()
  await assert.rejects(readBytes(unread, '11', 10), tooLarge)
  assert.equal(unread.listenerCount('data'), 0)
  const chunked = new PassThrough()
  const reading = readBytes(chunked, undefined, 10)
  chunked.write(Buffer.alloc(6))
  chunked.write(Buffer.alloc(5))
  await assert.rejects(reading, tooLarge)
  assert.ok(!(chunked as Readable).destroyed)
  const full = new PassThrough()
  const last = readBytes(full, '10', 10)
  full.end(Buffer.alloc(10))
  assert.equal((await last).length, 10)
})

test('says that a body which ends in an error is malformed', async () => {
  const body = new PassThrough()
  const reading = readBytes(body, '10', 10)
  body.destroy(new Error('reset'))
  await assert.rejects(reading, { message: 'invalid input: the request is malformed' })
})

test('bytes of a body without an announced length are reserved as they come, and refused with it', async () => {
  const read = (contentLength: string | undefined, reserve: (bytes: number) => void) => {
    const body = new PassThrough()
    body.write(Buffer.alloc(10))
    body.end(Buffer.alloc(20))
    return readBytes(body, contentLength, 100, reserve)
  }
  const reserved: number[] = []
  await read(undefined, (bytes) => reserved.push(bytes))
  await read('30', () => assert.fail('the announced length was reserved before'))
  assert.deepEqual(reserved, [10, 20])
  const refusal = new PublicError('overloaded', 'no room')
  const refuse = () => {
    throw refusal
  }
  await assert.rejects(read(undefined, refuse), refusal)
})
