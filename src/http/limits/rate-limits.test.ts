import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NO_LIMITS } from '../../control/limits.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { OtherRateUse } from '../../ports/limit-storage.ts'
import { RateLimits, type Sender } from './rate-limits.ts'

const sender: Sender = { keyId: 'key', orgId: 'org' }

/** Limits with a clock that stands still unless it is moved. */
function limited(limits: { requestsPerSecond?: number; spansPerSecond?: number }) {
  const clock = { nowMs: 1_000 }
  return { clock, rates: new RateLimits({ ...NO_LIMITS, ...limits }, () => clock.nowMs) }
}

function isTaken(rates: RateLimits, from = sender, withSpans = false): boolean {
  try {
    rates.take(from, withSpans)
    return true
  } catch (error) {
    assert.ok(error instanceof PublicError && error.kind === 'rate_limited')
    return false
  }
}

const countTaken = (rates: RateLimits, attempts: number, from = sender) =>
  Array.from({ length: attempts }, () => isTaken(rates, from)).filter(Boolean).length

describe('requests of a key', () => {
  test('pass ten seconds of their rate at once, and then exactly the rate', () => {
    const { rates, clock } = limited({ requestsPerSecond: 5 })
    assert.equal(countTaken(rates, 1_000), 50)
    let taken = 0
    for (let step = 0; step < 1_000; step++) {
      clock.nowMs += 100
      taken += countTaken(rates, 3)
    }
    assert.equal(taken, 500)
  })

  test('that are refused use nothing up and are told when to come again, and why', () => {
    const { rates, clock } = limited({ requestsPerSecond: 5 })
    countTaken(rates, 50)
    assert.throws(
      () => rates.take(sender, false),
      (error: PublicError) =>
        error.retryAfterMs === 200 &&
        /^rate limit reached: this API key may send 5 requests a second; wait 1 second, or ask the operator to raise requests_per_second$/.test(
          error.message,
        ),
    )
    countTaken(rates, 1_000)
    clock.nowMs += 199
    assert.equal(isTaken(rates), false)
    clock.nowMs += 1
    assert.equal(isTaken(rates), true)
  })

  test('are counted for each key, by the limit of its organization where it has one', () => {
    const { rates } = limited({ requestsPerSecond: 5 })
    const own = { keyId: 'other key', orgId: 'other', limits: { requestsPerSecond: 1 } }
    const free = { keyId: 'third key', orgId: 'third', limits: { requestsPerSecond: 0 } }
    assert.equal(countTaken(rates, 100), 50)
    assert.equal(countTaken(rates, 100, own), 10)
    assert.equal(countTaken(rates, 100, free), 100)
  })

  test('follow a limit that changes', () => {
    const { rates, clock } = limited({ requestsPerSecond: 5 })
    countTaken(rates, 50)
    clock.nowMs += 1_000
    assert.equal(countTaken(rates, 100, { ...sender, limits: { requestsPerSecond: 100 } }), 100)
  })

  test('of more keys than are remembered do not fill the memory', () => {
    const { rates } = limited({ requestsPerSecond: 1 })
    for (let at = 0; at < 20_000; at++) rates.take({ keyId: `key ${at}`, orgId: 'org' }, false)
    // The uses since the last look, of all that are remembered.
    assert.equal(rates.takeUses(1_000).length, 10_000)
  })
})

describe('spans of a key', () => {
  test('pass however many a request brings, and the debt delays the next ones', () => {
    const { rates, clock } = limited({ spansPerSecond: 10 })
    assert.ok(isTaken(rates, sender, true))
    rates.useSpans(sender, 1_000)
    assert.equal(isTaken(rates, sender, true), false)
    assert.ok(isTaken(rates), 'requests without spans go on')
    clock.nowMs += 90_000
    assert.equal(isTaken(rates, sender, true), false)
    clock.nowMs += 100
    assert.ok(isTaken(rates, sender, true))
  })

  test('hold their rate in the long run', () => {
    const { rates, clock } = limited({ spansPerSecond: 100 })
    let sent = 0
    for (let step = 0; step < 10_000; step++) {
      clock.nowMs += 100
      if (!isTaken(rates, sender, true)) continue
      rates.useSpans(sender, 37)
      sent += 37
    }
    // 1,000 seconds, the ten seconds at the beginning, and at most one request that crosses the limit.
    assert.ok(sent >= 100_000 && sent <= 101_000 + 37, String(sent))
  })
})

describe('the headers', () => {
  const headersOf = (rates: RateLimits, withSpans: boolean) => {
    const headers: Record<string, string> = {}
    try {
      rates.take(sender, withSpans, (name, value) => {
        headers[name] = value
      })
    } catch {}
    return headers
  }

  test('tell the policy and what is left of it', () => {
    const { rates } = limited({ requestsPerSecond: 5 })
    assert.deepEqual(headersOf(rates, true), {
      'ratelimit-policy': '"requests";q=50;w=10',
      ratelimit: '"requests";r=49;t=1',
    })
    countTaken(rates, 48)
    assert.equal(headersOf(rates, false)['ratelimit'], '"requests";r=0;t=10')
    assert.equal(headersOf(rates, false)['ratelimit'], '"requests";r=0;t=1')
  })

  test('tell both rates to those who send spans', () => {
    const { rates } = limited({ requestsPerSecond: 5, spansPerSecond: 100 })
    rates.useSpans(sender, 400)
    assert.deepEqual(headersOf(rates, true), {
      'ratelimit-policy': '"requests";q=50;w=10, "spans";q=1000;qu="spans";w=10',
      ratelimit: '"requests";r=49;t=1, "spans";r=600;t=4',
    })
  })

  test('are absent where there is no limit', () => {
    assert.deepEqual(headersOf(limited({}).rates, true), {})
  })
})

describe('two processes', () => {
  /** The reports that both exchange, as the store keeps them. */
  function exchange(processes: readonly RateLimits[], elapsedMs: number, table: Map<string, OtherRateUse>) {
    for (const [at, rates] of processes.entries()) {
      const processId = `process ${at}`
      for (const use of rates.takeUses(elapsedMs))
        table.set(`${processId} ${use.keyId}`, { ...use, processId })
      rates.debitOthers([...table.values()].filter((use) => use.processId !== processId))
    }
  }

  test('that exchange what they let through hold one rate together', () => {
    const clock = { nowMs: 0 }
    const defaults = { ...NO_LIMITS, requestsPerSecond: 100 }
    const processes = [0, 1].map(() => new RateLimits(defaults, () => clock.nowMs))
    const table = new Map<string, OtherRateUse>()
    let taken = 0
    for (let second = 0; second < 120; second++) {
      for (const rates of processes) taken += countTaken(rates, 150)
      clock.nowMs += 1_000
      exchange(processes, 1_000, table)
    }
    // 120 seconds at 100, ten seconds at once, and what each lets through between two exchanges: without them it would be
    // 26,000.
    assert.ok(taken >= 12_000 && taken <= 12_000 + 1_000 + 300, String(taken))
  })

  test('do not tell each other of keys that use little', () => {
    const { rates } = limited({ requestsPerSecond: 1_000 })
    countTaken(rates, 19)
    assert.deepEqual(rates.takeUses(1_000), [])
    countTaken(rates, 20)
    assert.deepEqual(rates.takeUses(1_000), [{ keyId: 'key', requests: 20, spans: 0 }])
  })

  test('forgive what piled up while they could not exchange, down to one window', () => {
    const { rates, clock } = limited({ requestsPerSecond: 10 })
    isTaken(rates)
    const other = { keyId: 'key', processId: 'other', spans: 0 }
    rates.debitOthers([{ ...other, requests: 0 }])
    rates.debitOthers([{ ...other, requests: 1_000_000 }])
    assert.equal(isTaken(rates), false)
    clock.nowMs += 1_000
    assert.ok(isTaken(rates))
  })
})

test('a key that uses 80 % of its rate is busy; its use is a mean of the last seconds', () => {
  const { rates, clock } = limited({ requestsPerSecond: 10 })
  for (let second = 0; second < 30; second++) {
    countTaken(rates, 7)
    clock.nowMs += 1_000
  }
  assert.equal(Math.round(rates.useOf(sender).requests), 7)
  assert.deepEqual(rates.listBusy(), [])
  for (let second = 0; second < 30; second++) {
    countTaken(rates, 9)
    clock.nowMs += 1_000
  }
  assert.deepEqual(
    rates.listBusy().map(({ keyId, unit, limit }) => [keyId, unit, limit]),
    [['key', 'requests', 10]],
  )
  clock.nowMs += 60_000
  assert.deepEqual(rates.listBusy(), [])
})
