import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { GPT_4O, newPayer, patient, QUESTION, RIGHT, startDesk } from '../../../tests/support/judge-desk.ts'
import { rejectsWith } from '../../../tests/support/no-verdict.ts'

describe('a question that was answered before', () => {
  test('is answered from memory, and after a restart from the store', async () => {
    const { desk, model, payer, again, counted } = await startDesk()
    model.script({ content: RIGHT })
    await desk.open(payer, GPT_4O, patient()).ask(QUESTION)
    const second = desk.open(payer, GPT_4O, patient())
    assert.deepEqual(await second.ask(QUESTION), RIGHT)
    assert.deepEqual([second.judgement.calls, second.judgement.cachedCalls], [0, 1])
    assert.deepEqual([second.judgement.costMicros, second.judgement.promptTokens], [0, 0])
    await desk.close()
    const third = again().open(payer, GPT_4O, patient())
    assert.deepEqual(await third.ask(QUESTION), RIGHT)
    assert.deepEqual([third.judgement.calls, third.judgement.cachedCalls], [0, 1])
    assert.deepEqual([model.requests.length, counted['cacheHits']], [1, 2])
  })

  test('is written within seconds without anybody closing the desk', async () => {
    const { desk, model, payer, again } = await startDesk()
    await desk.open(payer, GPT_4O, patient()).ask(QUESTION)
    const deadline = Date.now() + 300_000
    for (;;) {
      const session = again().open(payer, GPT_4O, patient())
      const before = model.requests.length
      await session.ask(QUESTION)
      if (model.requests.length === before) break
      assert.ok(Date.now() < deadline)
    }
  })

  test('is asked again for another organization, model, prompt version, text, shape or sampling', async () => {
    const { desk, model, payer, storage } = await startDesk()
    const other = await newPayer(storage, 'two')
    const session = desk.open(payer, GPT_4O, patient())
    await session.ask(QUESTION)
    await desk.open(other, GPT_4O, patient()).ask(QUESTION)
    await desk.open(payer, { provider: 'openai', model: 'gpt-4.1' }, patient()).ask(QUESTION)
    await session.ask({ ...QUESTION, model: { provider: 'openai', model: 'gpt-4.1-mini' } })
    await session.ask({ ...QUESTION, prompt: 'test/question@2' })
    await session.ask({ ...QUESTION, messages: [{ role: 'user', parts: ['Another text.'] }] })
    await session.ask({ ...QUESTION, answer: { kind: 'object', fields: { verdict: { kind: 'text' } } } })
    await session.ask({ ...QUESTION, sampling: { temperature: 1 } })
    assert.equal(model.requests.length, 8)
    assert.equal(session.judgement.cachedCalls, 0)
  })

  test('does not mistake data for instructions of the same words', async () => {
    const { desk, model, payer } = await startDesk()
    const session = desk.open(payer, GPT_4O, patient())
    await session.ask({ ...QUESTION, messages: [{ role: 'user', parts: ['Same.'] }] })
    await session.ask({
      ...QUESTION,
      messages: [{ role: 'user', parts: [{ label: 'text', data: 'Same.' }] }],
    })
    assert.equal(model.requests.length, 2)
  })
})

describe('two equal questions at once', () => {
  test('are one call', async () => {
    const { desk, model, payer } = await startDesk()
    model.script({ content: RIGHT, delayMs: 50 })
    const sessions = [1, 2, 3].map(() => desk.open(payer, GPT_4O, patient()))
    const answers = await Promise.all(sessions.map((session) => session.ask(QUESTION)))
    assert.deepEqual(answers, [RIGHT, RIGHT, RIGHT])
    assert.equal(model.requests.length, 1)
    assert.deepEqual(
      sessions.map(({ judgement }) => [judgement.calls, judgement.cachedCalls]),
      [
        [1, 0],
        [0, 1],
        [0, 1],
      ],
    )
  })

  test('share a failure of the judge, but not the end of somebody else’s time', async () => {
    const { desk, model, payer } = await startDesk()
    model.script({ refusal: true, delayMs: 50 })
    const refused = [1, 2].map(() => desk.open(payer, GPT_4O, patient()).ask(QUESTION))
    await Promise.all(refused.map((asking) => rejectsWith(asking, 'refused')))
    assert.equal(model.requests.length, 1)
    model.script({ hang: true }, { content: RIGHT })
    const impatience = new AbortController()
    const first = desk.open(payer, GPT_4O, impatience.signal).ask(QUESTION)
    const second = desk.open(payer, GPT_4O, patient()).ask(QUESTION)
    while (model.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    impatience.abort()
    await rejectsWith(first, 'deadline')
    assert.deepEqual(await second, RIGHT)
  })
})

test('an answer that is no verdict is never kept', async () => {
  const { desk, model, payer, again } = await startDesk()
  model.script({ content: 'no JSON' }, { content: 'no JSON' }, { refusal: true }, { content: RIGHT })
  await rejectsWith(desk.open(payer, GPT_4O, patient()).ask(QUESTION), 'unparseable')
  await rejectsWith(desk.open(payer, GPT_4O, patient()).ask(QUESTION), 'refused')
  await desk.close()
  assert.deepEqual(await again().open(payer, GPT_4O, patient()).ask(QUESTION), RIGHT)
})

test('what cannot be written is written later, and nothing that was spent is lost', async () => {
  let isDown = true
  const { again, payer, storage, logLines } = await startDesk()
  const desk = again({
    ledger: {
      ...storage.ledger,
      recordCalls: (answers, spends) =>
        isDown ? Promise.reject(new Error('disk full')) : storage.ledger.recordCalls(answers, spends),
    },
  })
  const written = async () => (await storage.listSpend(payer, 0, Date.now() + 86_400_000))[0]?.calls
  await desk.open(payer, GPT_4O, patient()).ask(QUESTION)
  await desk.close()
  assert.equal(await written(), undefined)
  assert.match(logLines.join('\n'), /could not be written.*disk full/)
  isDown = false
  await desk.open(payer, GPT_4O, patient()).ask({ ...QUESTION, prompt: 'test/other@1' })
  await desk.close()
  assert.equal(await written(), 2)
})

test('a desk drops answers that are older than allowed', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] })
  const dropped: unknown[] = []
  const { storage } = await startDesk()
  const { clock, desk } = await startDesk({
    ledger: {
      ...storage.ledger,
      async dropCachedAnswers(...limits) {
        dropped.push(limits)
        return dropped.length < 3
      },
    },
    cache: { entriesMax: 7, ageMsMax: 1_000 },
  })
  context.mock.timers.tick(60_000)
  const limits = [clock.atMs - 1_000, 7]
  while (dropped.length < 3) await new Promise((resolve) => setImmediate(resolve))
  await desk.close()
  assert.deepEqual(dropped, [limits, limits, limits])
})
