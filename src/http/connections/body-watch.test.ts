import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { BodyWatch } from './body-watch.ts'

function watchBodies() {
  const held = new Set<Socket>()
  const slow: Socket[] = []
  const watch = new BodyWatch(
    { bodyBytesPerSecondMin: 1_000 },
    (socket) => held.has(socket),
    (socket) => slow.push(socket),
  )
  const add = (headers: Record<string, string>) => {
    const socket = { bytesRead: 500, destroyed: false } as Socket & { bytesRead: number }
    const request = { socket, headers, complete: false, readableFlowing: true } as IncomingMessage & {
      readableFlowing: boolean | null
    }
    watch.add(request)
    return { socket, request }
  }
  return { watch, add, held, slow }
}

test('a body that arrives slower than the least pace is reported once, after a grace period', () => {
  const { watch, add, slow } = watchBodies()
  const { socket } = add({ 'content-length': '1000000' })
  watch.pass(10_000)
  assert.equal(slow.length, 0)
  socket.bytesRead += 1_000
  watch.pass(1_000)
  assert.equal(slow.length, 0)
  watch.pass(1)
  watch.pass(999)
  assert.deepEqual(slow, [socket])
  assert.equal(watch.size, 0)
})

test('bodies in chunks are watched too, requests without a body are not', () => {
  const { watch, add } = watchBodies()
  add({})
  add({ 'content-length': '0' })
  assert.equal(watch.size, 0)
  add({ 'transfer-encoding': 'chunked' })
  assert.equal(watch.size, 1)
})

test('a body that has come, or whose connection has gone, is forgotten', () => {
  const { watch, add, slow } = watchBodies()
  add({ 'content-length': '5' }).request.complete = true
  ;(add({ 'content-length': '5' }).socket as { destroyed: boolean }).destroyed = true
  watch.pass(60_000)
  assert.equal(watch.size, 0)
  assert.equal(slow.length, 0)
})

test('time before anybody reads the body does not count', () => {
  const { watch, add, slow } = watchBodies()
  const { socket, request } = add({ 'content-length': '5' })
  request.readableFlowing = null
  watch.pass(60_000)
  request.readableFlowing = true
  watch.pass(10_000)
  assert.equal(slow.length, 0)
  watch.pass(1)
  assert.deepEqual(slow, [socket])
})

test('time for which the service does not read does not count', () => {
  const { watch, add, held, slow } = watchBodies()
  const { socket } = add({ 'content-length': '5' })
  held.add(socket)
  watch.pass(60_000)
  held.delete(socket)
  watch.pass(10_000)
  assert.equal(slow.length, 0)
  watch.pass(1)
  assert.deepEqual(slow, [socket])
})
