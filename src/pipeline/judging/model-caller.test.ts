import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type DeskFixture,
  GPT_4O,
  newPayer,
  patient,
  QUESTION,
  RIGHT,
  startDesk,
} from '../../../tests/support/judge-desk.ts'
import { rejectsWith } from '../../../tests/support/no-verdict.ts'
import type { Judge } from '../../ports/judge.ts'

describe('a provider that is busy', () => {
  for (const status of [408, 429, 500, 502, 503, 529]) {
    test(`with ${status} is asked again, with growing pauses that chance spreads`, async () => {
      const { desk, model, payer, slept, counted } = await startDesk()
      model.script({ status, times: 3 }, { content: RIGHT })
      const session = desk.open(payer, GPT_4O, patient())
      assert.deepEqual(await session.ask(QUESTION), RIGHT)
      assert.deepEqual(slept, [500, 1_000, 2_000])
      assert.deepEqual([counted['busy'], counted['answered'], session.judgement.calls], [3, 1, 1])
    })
  }

  test('four times is unavailable, which is no verdict', async () => {
    const { desk, model, payer } = await startDesk()
    model.script({ status: 503, times: 4 })
    const error = await rejectsWith(ask(desk.open(payer, GPT_4O, patient())), 'unavailable')
    assert.ok((error.retryAfterMs ?? 0) > 0)
    assert.equal(model.requests.length, 4)
  })

  test('and breaks the connection is asked again', async () => {
    const { desk, model, payer } = await startDesk()
    model.script({ disconnect: true }, { content: RIGHT })
    assert.deepEqual(await ask(desk.open(payer, GPT_4O, patient())), RIGHT)
  })

  test('and says when to come again is left alone until then', async () => {
    const { desk, model, payer, slept } = await startDesk()
    model.script({ status: 429, retryAfter: 7 }, { content: RIGHT })
    assert.deepEqual(await ask(desk.open(payer, GPT_4O, patient())), RIGHT)
    assert.deepEqual(slept, [7_500])
  })

  test('and wants more patience than there is gets no second call from anybody', async () => {
    const { desk, model, payer, clock } = await startDesk()
    model.script({ status: 429, retryAfter: 100 })
    const first = await rejectsWith(ask(desk.open(payer, GPT_4O, patient())), 'unavailable')
    assert.equal(first.retryAfterMs, 100_500)
    const second = await rejectsWith(ask(desk.open(payer, GPT_4O, patient())), 'unavailable')
    assert.equal(second.retryAfterMs, 100_000)
    assert.equal(model.requests.length, 1)
    clock.atMs += 100_000
    await ask(desk.open(payer, GPT_4O, patient()))
    assert.equal(model.requests.length, 2)
  })

  test('does not make those wait who pay for themselves', async () => {
    const { desk, model, payer, storage } = await startDesk()
    const other = await newPayer(storage, 'two')
    const sealed = Buffer.from('tenant-secret').toString('base64')
    const key = { provider: 'openai', sealed, baseUrl: model.url, hint: 'cret', updatedAtMs: 1 }
    await storage.putProviderKey(other, key)
    model.script({ status: 429, retryAfter: 100 })
    await rejectsWith(ask(desk.open(payer, GPT_4O, patient())), 'unavailable')
    await ask(desk.open(other, GPT_4O, patient()))
    assert.equal(model.requests[1]?.headers['authorization'], 'Bearer tenant-secret')
  })
})

test('a provider that turns a call away is named, with what to check, and is not asked again', async () => {
  const { desk, model, payer, logLines } = await startDesk()
  model.script({ status: 401, body: '{"error":{"message":"Incorrect API key provided: oper****cret"}}' })
  const error = await rejectsWith(
    ask(desk.open(payer, GPT_4O, patient())),
    'unavailable',
    /openai.*check its key/,
  )
  assert.equal(model.requests.length, 1)
  assert.doesNotMatch(error.message, /cret/)
  assert.match(logLines.join('\n'), /Incorrect API key/)
  assert.doesNotMatch(logLines.join('\n'), /operator-secret/)
})

describe('when the time is over', () => {
  test('a call under way ends with deadline', async () => {
    const { desk, model, payer } = await startDesk()
    model.script({ hang: true })
    const impatience = new AbortController()
    const asking = ask(desk.open(payer, GPT_4O, impatience.signal))
    await until(() => model.requests.length === 1)
    impatience.abort()
    await rejectsWith(asking, 'deadline')
  })

  test('nothing new is asked', async () => {
    const { desk, model, payer } = await startDesk()
    await rejectsWith(ask(desk.open(payer, GPT_4O, AbortSignal.abort())), 'deadline')
    assert.equal(model.requests.length, 0)
  })

  test('waiting for the next try ends too, and what is told is that the provider was busy', async () => {
    const impatience = new AbortController()
    const { desk, model, payer } = await startDesk({
      sleep: (_ms, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          queueMicrotask(() => impatience.abort())
        }),
    })
    model.script({ status: 503 })
    const error = await rejectsWith(ask(desk.open(payer, GPT_4O, impatience.signal)), 'unavailable')
    assert.equal(error.retryAfterMs, 500)
    assert.equal(model.requests.length, 1)
  })

  test('waiting for a place ends, and the place goes to the next one', async () => {
    const { desk, model, payer } = await startDesk({ limits: { callsMax: 1 } })
    const [first, second] = [new AbortController(), new AbortController()]
    model.script({ hang: true })
    const hanging = ask(desk.open(payer, GPT_4O, first.signal))
    await until(() => model.requests.length === 1)
    const waiting = ask(desk.open(payer, GPT_4O, second.signal), 'two')
    const third = ask(desk.open(payer, GPT_4O, patient()), 'three')
    second.abort()
    await rejectsWith(waiting, 'deadline')
    first.abort()
    await rejectsWith(hanging, 'deadline')
    await third
    assert.equal(model.requests.length, 2)
  })
})

describe('the circuit breaker', () => {
  test('opens after failures in a row, answers at once while open, finds out with one call and closes', async () => {
    const fixture = await startDesk()
    const { desk, model, payer, clock, counted } = fixture
    model.script({ status: 500, times: 5 })
    await rejectsWith(ask(desk.open(payer, GPT_4O, patient())), 'unavailable')
    await rejectsWith(ask(desk.open(payer, GPT_4O, patient())), 'unavailable')
    assert.equal(model.requests.length, 5)
    assert.equal(counted['breaker open'], 1)
    const error = await rejectsWith(ask(desk.open(payer, GPT_4O, patient())), 'unavailable')
    assert.ok((error.retryAfterMs ?? 0) > 0 && (error.retryAfterMs ?? 0) <= 10_000)
    assert.equal(model.requests.length, 5)
    clock.atMs += 10_000
    await ask(desk.open(payer, GPT_4O, patient()))
    assert.equal(counted['breaker closed'], 1)
    await ask(desk.open(payer, GPT_4O, patient()), 'two')
    assert.equal(model.requests.length, 7)
  })

  test('stays open for longer when the call that finds out fails', async () => {
    const fixture = await startDesk()
    const { model, clock } = fixture
    await openBreaker(fixture)
    clock.atMs += 10_000
    model.script({ status: 500 })
    await rejectsWith(askNow(fixture), 'unavailable')
    const asked = model.requests.length
    clock.atMs += 10_000
    await rejectsWith(askNow(fixture), 'unavailable')
    assert.equal(model.requests.length, asked)
    clock.atMs += 10_000
    await askNow(fixture)
  })

  test('lets only one call find out', async () => {
    const fixture = await startDesk()
    const { model, clock } = fixture
    await openBreaker(fixture)
    clock.atMs += 10_000
    const asked = model.requests.length
    model.script({ hang: true })
    const impatience = new AbortController()
    const probe = ask(fixture.desk.open(fixture.payer, GPT_4O, impatience.signal))
    await until(() => model.requests.length === asked + 1)
    await rejectsWith(ask(fixture.desk.open(fixture.payer, GPT_4O, patient()), 'two'), 'unavailable')
    impatience.abort()
    await rejectsWith(probe, 'deadline')
    await ask(fixture.desk.open(fixture.payer, GPT_4O, patient()), 'two')
    assert.equal(model.requests.length, asked + 2)
  })

  test('counts answers that take too long, but not calls that were given up', async () => {
    const fixture = await startDesk()
    const { desk, model, payer, counted } = fixture
    model.script({ hang: true, times: 100 })
    for (let at = 0; at < 6; at++) {
      const impatience = new AbortController()
      const asking = ask(desk.open(payer, GPT_4O, impatience.signal))
      await until(() => model.requests.length === at + 1)
      impatience.abort()
      await rejectsWith(asking, 'deadline')
    }
    assert.equal(counted['breaker open'], undefined)
    // On a busy machine a call may run out of time before it is made, which says nothing about the provider.
    for (let at = 0; at < 25 && counted['breaker open'] === undefined; at++)
      await rejectsWith(ask(desk.open(payer, GPT_4O, AbortSignal.timeout(200))), 'deadline')
    assert.equal(counted['breaker open'], 1)
  })

  test('is not opened by a provider that only turns calls away', async () => {
    const { desk, model, payer, counted } = await startDesk()
    model.script({ status: 404, times: 8 })
    for (let at = 0; at < 8; at++)
      await rejectsWith(ask(desk.open(payer, GPT_4O, patient())), 'unavailable', /turned the call/)
    assert.equal(counted['breaker open'], undefined)
  })
})

/** Every text is a question of its own. */
function ask(judge: Judge, text = 'one'): Promise<unknown> {
  return judge.ask({ ...QUESTION, messages: [{ role: 'user', parts: [{ label: 'text', data: text }] }] })
}

function askNow({ desk, payer }: DeskFixture): Promise<unknown> {
  return ask(desk.open(payer, GPT_4O, patient()))
}

async function openBreaker(fixture: DeskFixture): Promise<void> {
  fixture.model.script({ status: 500, times: 5 })
  await rejectsWith(askNow(fixture), 'unavailable')
  await rejectsWith(askNow(fixture), 'unavailable')
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 300_000
  while (!isSo()) {
    assert.ok(Date.now() < deadline, 'it did not happen in time')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
