import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FairClocks, FairQueue } from './fair-queue.ts'

/** Serves everything, each item at its cost, and tells whose it was, in order. */
function serveAll(queue: FairQueue<string, number>): string[] {
  const order: string[] = []
  for (let next = queue.shift(); next; next = queue.shift()) {
    order.push(next.key)
    queue.charge(next.key, next.item)
  }
  return order
}

test('keys with equal costs take turns, and one key keeps its order', () => {
  const queue = new FairQueue<string, number>()
  for (let at = 0; at < 3; at++) for (const key of ['a', 'b', 'c']) queue.push(key, 1)
  assert.deepEqual(serveAll(queue), ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c'])
  const own = new FairQueue<string, string>()
  own.push('a', 'first')
  own.push('a', 'second')
  assert.equal(own.shift()?.item, 'first')
  own.unshift('a', 'first again')
  assert.deepEqual([own.shift()?.item, own.shift()?.item, own.shift()], ['first again', 'second', undefined])
})

test('turns are by cost and not by number: ten cheap items for one that costs ten times as much', () => {
  const queue = new FairQueue<string, number>()
  for (let at = 0; at < 4; at++) queue.push('large', 10)
  for (let at = 0; at < 40; at++) queue.push('small', 1)
  const order = serveAll(queue)
  for (let end = 11; end <= 44; end += 11) {
    const large = order.slice(0, end).filter((key) => key === 'large').length
    assert.ok(Math.abs(large - end / 11) <= 1, `${large} large items among the first ${end}`)
  }
})

test('a key that comes late is served next, whatever backlog there is and however long it was away', () => {
  const queue = new FairQueue<string, number>()
  for (let at = 0; at < 1_000; at++) queue.push('noisy', 5)
  for (let round = 0; round < 5; round++) {
    for (let at = 0; at < 50; at++) queue.charge('noisy', queue.shift()?.item ?? 0)
    queue.push('quiet', 1)
    assert.equal(queue.shift()?.key, 'quiet')
    queue.charge('quiet', 1)
  }
})

test('a key that was idle has saved nothing up', () => {
  const queue = new FairQueue<string, number>()
  for (let at = 0; at < 100; at++) queue.push('busy', 1)
  for (let at = 0; at < 50; at++) queue.charge('busy', queue.shift()?.item ?? 0)
  for (let at = 0; at < 50; at++) queue.push('back', 1)
  const back = serveAll(queue)
    .slice(0, 20)
    .filter((key) => key === 'back').length
  assert.ok(back <= 11, `${back} of the next 20`)
})

test('between the arrival of a new key and its turn every other key is served once at most', () => {
  const costs = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(fc.array(costs, { minLength: 1, maxLength: 6 }), fc.nat({ max: 60 }), (lines, served) => {
      const queue = new FairQueue<string, number>()
      for (const [key, items] of lines.entries()) for (const cost of items) queue.push(String(key), cost)
      for (let at = 0; at < served; at++) {
        const next = queue.shift()
        if (next) queue.charge(next.key, next.item)
      }
      queue.push('new', 1)
      const before = serveAll(queue)
      const others = before.slice(0, before.indexOf('new'))
      assert.equal(new Set(others).size, others.length)
    }),
  )
})

test('a key that may not be served now is passed over, and an item can be taken out', () => {
  const queue = new FairQueue<string, number>()
  queue.push('a', 1)
  queue.push('b', 2)
  assert.deepEqual(
    queue.shift((key) => key !== 'a'),
    { key: 'b', item: 2 },
  )
  assert.equal(queue.remove('b', 2), false)
  assert.equal(queue.remove('a', 1), true)
  assert.deepEqual([queue.size, [...queue.keys], queue.shift()], [0, [], undefined])
  queue.push('a', 1)
  assert.deepEqual(queue.drain(), [1])
  assert.equal(queue.size, 0)
})

test('clocks name only the keys that are ahead of the one that was served last', () => {
  const clocks = new FairClocks<number>()
  clocks.begin(1)
  clocks.charge(1, 10)
  clocks.begin(2)
  clocks.charge(2, 4)
  assert.deepEqual(clocks.ahead, [2, 1])
  clocks.begin(2)
  clocks.charge(2, 4)
  assert.deepEqual(clocks.ahead, [2, 1])
  clocks.begin(1)
  assert.deepEqual(clocks.ahead, [])
})
