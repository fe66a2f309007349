import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BodyBudget } from './body-budget.ts'

const refused = { kind: 'overloaded' }

function fill(budget: BodyBudget, tenant: string, bytes: number): number {
  let taken = 0
  for (;;) {
    try {
      budget.open(tenant).take(bytes)
    } catch {
      return taken
    }
    taken++
  }
}

test('one tenant takes at most half, and every other finds room', () => {
  const budget = new BodyBudget(1_000)
  assert.equal(fill(budget, 'noisy', 10), 50)
  assert.equal(fill(budget, 'quiet', 10), 25)
  for (let tenant = 0; tenant < 5; tenant++) assert.ok(fill(budget, `${tenant}`, 1) > 0, `${tenant}`)
  assert.ok(budget.bytes <= 1_000)
})

test('one large body is taken when little else is there', () => {
  const budget = new BodyBudget(1_000)
  budget.open('a').take(700)
  assert.throws(() => budget.open('a').take(300), refused)
  assert.throws(() => budget.open('b').take(300), refused)
  budget.open('b').take(100)
})

test('what was given back can be taken again, and nothing is given back twice', () => {
  const budget = new BodyBudget(100)
  const share = budget.open('a')
  share.take(40)
  share.give(10)
  share.take(20)
  assert.equal(budget.bytes, 50)
  assert.throws(() => share.take(1), refused)
  share.release()
  share.release()
  share.give(10)
  assert.equal(budget.bytes, 0)
  assert.throws(() => share.take(1), refused)
  assert.equal(budget.bytes, 0)
})
