import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RepeatFinder } from './repeat-finder.ts'

const BITS = 8

function costs(text: string): number[] {
  const bytes = new TextEncoder().encode(text)
  const finder = new RepeatFinder(bytes)
  return Array.from(bytes, (_, at) => finder.cost(at, BITS))
}

test('nothing that is new changes its price', () => {
  assert.deepEqual(costs('abcdefghijklmnopqrstuvwxyz'), new Array(26).fill(BITS))
})

test('from the sixth byte on a repeat is cheap, and cheaper the longer it lasts', () => {
  const second = costs('Szczepanowski, Szczepanowski').slice(15)
  assert.deepEqual(second.slice(0, 5), new Array(5).fill(BITS))
  assert.ok((second[5] ?? BITS) < 2)
  for (let at = 6; at < second.length; at++) assert.ok((second[at] ?? 0) < (second[at - 1] ?? 0))
})

test('where a repeat ends, the byte costs more than without it', () => {
  const [last = 0] = costs('abcdefX abcdefY').slice(-1)
  assert.ok(last > BITS && last < BITS + 2)
})

test('what it says stays a probability: 256 following bytes sum to one', () => {
  const start = new TextEncoder().encode('one two three, one two thr')
  let sum = 0
  for (let byte = 0; byte < 256; byte++) {
    const bytes = Uint8Array.from([...start, byte])
    const finder = new RepeatFinder(bytes)
    let cost = 0
    for (let at = 0; at < bytes.length; at++) cost = finder.cost(at, BITS)
    sum += 2 ** -cost
  }
  assert.ok(Math.abs(sum - 1) < 1e-9, String(sum))
})

test('two different beginnings that share a place in the table are not a repeat', () => {
  // Many different texts against one table: were the bytes not compared, some of these would be cheap.
  let text = ''
  for (let at = 0; at < 20_000; at++)
    text += String.fromCharCode(33 + ((at * 7919 + ((at * at) % 8191)) % 90))
  const seen = new Set<string>()
  for (const [at, cost] of costs(text).entries()) {
    const before = text.slice(at - 5, at)
    if (!seen.has(before)) assert.equal(cost >= BITS, true, `place ${at}`)
    if (at >= 5) seen.add(before)
  }
})
