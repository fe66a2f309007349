import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { ConnectionTable } from './connection-table.ts'

let port = 0

/** As much of a socket as the table uses. */
class Peer extends EventEmitter {
  readonly remoteAddress: string
  readonly remotePort = ++port
  readonly localPort = 8_080
  destroyed = false

  constructor(remoteAddress = '192.0.2.1') {
    super()
    this.remoteAddress = remoteAddress
  }

  destroy(): void {
    this.destroyed = true
    this.emit('close')
  }
}

function tableOf(connectionsMax: number, connectionsPerAddressMax = 1_000, trustedProxies: string[] = []) {
  const table = new ConnectionTable({ connectionsMax, connectionsPerAddressMax, trustedProxies })
  const open = (address?: string) => {
    const peer = new Peer(address)
    return { peer, connection: table.open(peer as unknown as Socket) }
  }
  return { table, open }
}

test('at the limit the connection that was idle for longest makes room', () => {
  const { table, open } = tableOf(3)
  const [first, second, third] = [open(), open(), open()]
  table.begin(first.connection)
  table.end(first.connection)
  const fourth = open()
  assert.deepEqual(
    [first, second, third, fourth].map(({ peer }) => peer.destroyed),
    [false, true, false, false],
  )
  assert.equal(table.size, 3)
  assert.equal(table.closedCount, 1)
})

test('connections without a key go first, then idle ones, and none that serves a caller with a key', () => {
  const { table, open } = tableOf(3)
  const [busy, idle, strange] = [open(), open(), open()]
  for (const { connection } of [busy, idle, strange]) table.begin(connection)
  for (const { connection } of [busy, idle]) table.showKey(connection.socket)
  table.end(idle.connection)
  const next = open()
  assert.deepEqual(
    [busy, idle, strange].map(({ peer }) => peer.destroyed),
    [false, false, true],
  )
  table.begin(next.connection)
  table.showKey(next.connection.socket)
  const last = open()
  assert.deepEqual(
    [busy, idle, next].map(({ peer }) => peer.destroyed),
    [false, true, false],
  )
  assert.equal(last.connection.isReserved, false)
})

test('when every connection is busy a few more are let in for health checks, and no more than a few', () => {
  const { table, open } = tableOf(2)
  for (const { connection } of [open(), open()]) {
    table.begin(connection)
    table.showKey(connection.socket)
  }
  const beyond = Array.from({ length: 40 }, () => open())
  assert.ok(beyond.every(({ connection }) => connection.isReserved))
  assert.equal(table.size, 2 + 16)
  assert.deepEqual(
    beyond.slice(-16).map(({ peer }) => peer.destroyed),
    Array(16).fill(false),
  )
})

test('an address with too many connections loses its own oldest idle one', () => {
  const { table, open } = tableOf(100, 2)
  const stranger = open('198.51.100.7')
  const [first, second] = [open(), open()]
  table.begin(first.connection)
  const third = open()
  assert.deepEqual(
    [stranger, first, second, third].map(({ peer }) => peer.destroyed),
    [false, false, true, false],
  )
})

test('connections with a key do not count towards their address: many clients may share one', () => {
  const { table, open } = tableOf(100, 2)
  const many = Array.from({ length: 50 }, () => {
    const opened = open()
    table.showKey(opened.connection.socket)
    return opened
  })
  open()
  assert.ok(many.every(({ peer }) => !peer.destroyed))
})

test('connections of a trusted proxy do not count towards its address', () => {
  const { open } = tableOf(100, 2, ['192.0.2.0/24'])
  const many = Array.from({ length: 50 }, () => open())
  assert.ok(many.every(({ peer }) => !peer.destroyed))
})

test('a connection that has gone leaves nothing behind', () => {
  const { table, open } = tableOf(100, 2)
  for (let round = 0; round < 10; round++) {
    const { peer, connection } = open()
    table.begin(connection)
    peer.destroy()
    table.end(connection)
    assert.equal(table.find(peer as unknown as Socket), undefined)
  }
  assert.equal(table.size, 0)
  assert.equal(table.closedCount, 0)
})

test('the encrypted side of a connection is found by its peer', () => {
  const { table, open } = tableOf(10)
  const { peer, connection } = open()
  const { remoteAddress, remotePort, localPort } = peer
  assert.equal(table.find({ remoteAddress, remotePort, localPort } as Socket), connection)
})
