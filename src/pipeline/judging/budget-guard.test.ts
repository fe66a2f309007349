import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DeskFixture, GPT_4O, patient, QUESTION, startDesk } from '../../../tests/support/judge-desk.ts'
import { rejectsWith } from '../../../tests/support/no-verdict.ts'
import type { JudgePayer } from '../../ports/judge.ts'

const DAY_MS = 86_400_000
/** A call of the question below costs this much in these prices: 1 cent for each token of the answer. */
const PRICES = { 'openai/gpt-4o': { input: 0, output: 10_000 } }
const SAMPLING = { maxTokens: 100 }
/** The cost set aside for a call: 100 tokens. */
const RESERVED = 1_000_000

describe('a budget', () => {
  test('is kept: what is left must cover what a call may cost', async () => {
    const fixture = await startDesk({ prices: PRICES })
    const { storage, payer, clock, model } = fixture
    clock.atMs = Date.UTC(2026, 4, 31, 22)
    await storage.putBudget(payer, { dayMicros: RESERVED, updatedAtMs: 1 })
    const spent = await ask(fixture, payer, 'one')
    assert.ok(spent > 0 && spent < RESERVED)
    const error = await rejectsWith(
      ask(fixture, payer, 'two'),
      'over_budget',
      /the project for this day, 1\.00 USD/,
    )
    assert.match(error.message, /renews at 2026-06-01T00:00:00/)
    assert.equal(error.retryAfterMs, 2 * 3_600_000)
    assert.equal(model.requests.length, 1)
    clock.atMs += 2 * 3_600_000
    await ask(fixture, payer, 'two')
  })

  test('of a month lasts for the month', async () => {
    const fixture = await startDesk({ prices: PRICES })
    const { storage, payer, clock } = fixture
    clock.atMs = Date.UTC(2026, 4, 15)
    await storage.putBudget(payer, { dayMicros: 100 * RESERVED, monthMicros: RESERVED, updatedAtMs: 1 })
    await ask(fixture, payer, 'one')
    clock.atMs = Date.UTC(2026, 4, 31)
    await rejectsWith(ask(fixture, payer, 'two'), 'over_budget', /month.*2026-06-01T/)
    clock.atMs = Date.UTC(2026, 5, 1)
    await ask(fixture, payer, 'two')
  })

  test('of a setup does not limit the others', async () => {
    const fixture = await startDesk({ prices: PRICES })
    const { storage, payer } = fixture
    const setups = await Promise.all(['a', 'b'].map((externalId) => withSetup(fixture, externalId)))
    await storage.putBudget(payer, { externalId: 'a', dayMicros: RESERVED, updatedAtMs: 1 })
    const [a, b] = setups as [JudgePayer, JudgePayer]
    await ask(fixture, a, 'one')
    await rejectsWith(ask(fixture, a, 'two'), 'over_budget', /setup "a"/)
    await ask(fixture, b, 'three')
    await ask(fixture, payer, 'four')
  })

  test('counts what was spent before a restart', async () => {
    const fixture = await startDesk({ prices: PRICES })
    const { storage, payer, desk, again } = fixture
    await storage.putBudget(payer, { dayMicros: RESERVED, updatedAtMs: 1 })
    await ask(fixture, payer, 'one')
    await desk.close()
    await rejectsWith(ask({ ...fixture, desk: again() }, payer, 'two'), 'over_budget')
  })

  test('that is made while calls were paid already counts those too', async () => {
    const fixture = await startDesk({ prices: PRICES })
    const { storage, payer, clock } = fixture
    await ask(fixture, payer, 'one')
    await storage.putBudget(payer, { dayMicros: RESERVED, updatedAtMs: 1 })
    clock.atMs += 3_000
    await rejectsWith(ask(fixture, payer, 'two'), 'over_budget')
  })

  test('that is raised takes effect within seconds', async () => {
    const fixture = await startDesk({ prices: PRICES })
    const { storage, payer, clock } = fixture
    await storage.putBudget(payer, { dayMicros: 1, updatedAtMs: 1 })
    await rejectsWith(ask(fixture, payer, 'one'), 'over_budget')
    await storage.putBudget(payer, { dayMicros: RESERVED, updatedAtMs: 2 })
    clock.atMs += 3_000
    await ask(fixture, payer, 'one')
    await storage.deleteBudget(payer, undefined)
    clock.atMs += 3_000
    await ask(fixture, payer, 'two')
  })

  test('is not exceeded by many calls at once: they wait for what others have set aside', async () => {
    const fixture = await startDesk({ prices: PRICES })
    const { storage, payer, model } = fixture
    // Room for two reservations at a time, and for three calls in all, which cost less than what is set aside.
    const cost = await ask(fixture, payer, 'zero')
    await storage.putBudget(payer, { dayMicros: 2 * RESERVED + 2 * cost, updatedAtMs: 1 })
    fixture.clock.atMs += 3_000
    model.script({ delayMs: 30 }, { delayMs: 30 }, { delayMs: 30 })
    await Promise.all(['one', 'two', 'three'].map((text) => ask(fixture, payer, text)))
    assert.equal(model.requests.length, 4)
  })

  test('is not charged for a call that failed', async () => {
    const fixture = await startDesk({ prices: PRICES })
    const { storage, payer, model } = fixture
    await storage.putBudget(payer, { dayMicros: RESERVED, updatedAtMs: 1 })
    model.script({ status: 401 })
    await rejectsWith(ask(fixture, payer, 'one'), 'unavailable')
    await ask(fixture, payer, 'one')
  })

  test('is charged the most that a call may cost when the provider does not tell its tokens', async () => {
    const fixture = await startDesk({ prices: PRICES })
    const { storage, payer, model } = fixture
    await storage.putBudget(payer, { dayMicros: 2 * RESERVED - 1, updatedAtMs: 1 })
    model.script({ noUsage: true })
    await ask(fixture, payer, 'one')
    await rejectsWith(ask(fixture, payer, 'two'), 'over_budget')
    fixture.clock.atMs += 5_000
    await rejectsWith(ask(fixture, payer, 'two'), 'over_budget')
  })

  test('is shared by processes: what another one has written counts within seconds', async () => {
    const fixture = await startDesk({ prices: PRICES })
    const { storage, payer, clock, desk, again } = fixture
    const other = { ...fixture, desk: again() }
    const cost = await ask(fixture, payer, 'zero')
    await storage.putBudget(payer, { dayMicros: RESERVED + 2 * cost, updatedAtMs: 1 })
    clock.atMs += 3_000
    await ask(fixture, payer, 'one')
    await ask(other, payer, 'two')
    await desk.close()
    clock.atMs += 1_000
    await rejectsWith(ask(other, payer, 'three'), 'over_budget')
  })

  test('is charged once for what was spent here, however often the store is looked at', async () => {
    const fixture = await startDesk({ prices: PRICES })
    const { storage, payer, clock } = fixture
    const cost = await ask(fixture, payer, 'zero')
    await storage.putBudget(payer, { dayMicros: RESERVED + 4 * cost, updatedAtMs: 1 })
    for (const text of ['one', 'two', 'three', 'four']) {
      clock.atMs += 3_000
      await ask(fixture, payer, text)
    }
    await rejectsWith(ask(fixture, payer, 'five'), 'over_budget')
  })

  test('refuses a model of unknown price, and says how to give it one', async () => {
    const fixture = await startDesk()
    const { storage, payer, desk, model } = fixture
    await storage.putBudget(payer, { monthMicros: 1_000_000_000, updatedAtMs: 1 })
    const session = desk.open(payer, { provider: 'openai', model: 'my-own' }, patient())
    await rejectsWith(session.ask(QUESTION), 'over_budget', /openai\/my-own.*ASSAY_JUDGE_PRICES/)
    assert.equal(model.requests.length, 0)
  })

  test('does not stand in the way of an answer that is known', async () => {
    const fixture = await startDesk({ prices: PRICES })
    const { storage, payer, clock } = fixture
    await ask(fixture, payer, 'one')
    await storage.putBudget(payer, { dayMicros: 1, updatedAtMs: 1 })
    clock.atMs += 3_000
    assert.equal(await ask(fixture, payer, 'one'), 0)
  })

  test('of one project is not spent by another', async () => {
    const fixture = await startDesk({ prices: PRICES })
    const { storage, payer } = fixture
    const project = {
      id: 'second project',
      name: 'second',
      slug: 'second',
      environments: [],
      createdAtMs: 1,
    }
    await storage.createProject(payer, project)
    await storage.putBudget(payer, { dayMicros: RESERVED, updatedAtMs: 1 })
    await ask(fixture, { ...payer, projectId: project.id }, 'one')
    await ask(fixture, payer, 'two')
  })
})

test('spend is written by day, setup and model', async () => {
  const fixture = await startDesk({ prices: PRICES })
  const { storage, payer, desk, clock } = fixture
  clock.atMs = Date.UTC(2026, 4, 15, 12)
  const setup = await withSetup(fixture, 'a')
  const costs = [await ask(fixture, setup, 'one'), await ask(fixture, setup, 'two')]
  await ask(fixture, payer, 'three')
  await desk.close()
  const lines = await storage.listSpend(payer, clock.atMs - DAY_MS, clock.atMs)
  assert.deepEqual(
    lines.map(({ externalId, calls, dayAtMs }) => [externalId, calls, dayAtMs]),
    [
      [undefined, 1, Date.UTC(2026, 4, 15)],
      ['a', 2, Date.UTC(2026, 4, 15)],
    ],
  )
  assert.equal(lines[1]?.costMicros, (costs[0] ?? 0) + (costs[1] ?? 0))
})

/** Every text is a question of its own; answers what it cost. */
async function ask({ desk }: DeskFixture, payer: JudgePayer, text: string): Promise<number> {
  const session = desk.open(payer, GPT_4O, patient())
  await session.ask({ ...QUESTION, sampling: SAMPLING, messages: [{ role: 'user', parts: [text] }] })
  return session.judgement.costMicros ?? Number.NaN
}

async function withSetup({ storage, payer }: DeskFixture, externalId: string): Promise<JudgePayer> {
  const draft = { id: `setup ${externalId}`, externalId, change: { evaluators: [] } }
  const setup = await storage.createSetup({ ...payer, envProjectId: 'env one' }, draft, 1)
  assert.ok(setup !== 'exists' && setup !== 'full')
  return { ...payer, setup: { id: setup.id, externalId } }
}
