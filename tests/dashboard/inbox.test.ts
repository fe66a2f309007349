import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { attributeList } from '../../demo/showcase-spans.ts'
import { eventually } from '../support/spans.ts'
import { openStage, type Stage } from './stage.ts'
import { newPage, type WatchedPage } from './watched-page.ts'

/** Evaluated in the page: a page listens to its keys anew a moment after it was drawn. */
const A_MOMENT =
  'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))'
const keysReady = (page: Page) => page.evaluate(A_MOMENT)

const { stage, skip } = await openStage()

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

const FAILURES = 12
const PASSES = 3
/** The goal: from the opened inbox to the tenth bad answer. */
const KEYSTROKES_MAX = 12
const MARKUP = '<img src="x" onerror="document.title = 1">'

// A project of its own, in which it is known what passes and what fails.
async function call({ showcase }: Stage, path: string, method = 'GET', body?: object): Promise<Json> {
  const answer = await fetch(showcase.url + path, {
    method,
    headers: { authorization: `Bearer ${showcase.operatorKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  assert.ok(answer.ok, `${path}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

/** Has answers scored, most of them with personal data; the newest failure asks question 11. */
async function fill(here: Stage): Promise<void> {
  const setup = { external_id: 'privacy', selector: { 'service.name': 'shop' }, evaluators: ['pii-detector'] }
  await call(here, '/v2/auto-monitor-setups', 'POST', setup)
  const spans = Array.from({ length: FAILURES + PASSES }, (_, at) => ({
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    name: 'chat',
    startTimeUnixNano: `${Date.now()}000000`,
    endTimeUnixNano: `${Date.now() + 250}000000`,
    attributes: attributeList({
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': `Who handles case ${at}? ${MARKUP}`,
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content':
        at < FAILURES ? `Write to anna.schmidt${at}@example.org.` : `Case ${at} is closed.`,
    }),
  }))
  const resource = { attributes: attributeList({ 'service.name': 'shop' }) }
  await call(here, '/v1/traces', 'POST', { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] })
  await eventually(
    async () => (await call(here, '/v2/evaluations?status=scored')).evaluations.length === spans.length,
    'all answers are scored',
  )
}

if (stage) await fill(stage)

describe('the inbox', { skip }, () => {
  const here = stage as Stage

  async function visiting(
    work: (watched: WatchedPage) => Promise<void>,
    settings: Parameters<typeof newPage>[1] = {},
  ): Promise<void> {
    const { watched, context } = await newPage(here, settings)
    await watched.signIn(here.showcase.operatorKey)
    await work(watched)
    watched.assertClean()
    await context.close()
  }

  const rows = (page: Page) => page.getByRole('list', { name: 'Evaluations' }).getByRole('listitem')
  const openRow = (page: Page) => page.locator('.inbox-row-open')
  const detail = (page: Page) => page.getByRole('region', { name: 'Evaluation', exact: true })
  const itemIn = (page: Page) => new URL(page.url()).searchParams.get('item')
  const reviews = async (): Promise<Json[]> =>
    (await call(here, '/v2/scores?source=human&limit=100')).scores.filter(
      ({ task }: Json) => task === undefined,
    )
  const has = (place: Locator, text: string | RegExp) => place.getByText(text).first().waitFor()

  test('lists the newest failures in rows that can be read, with the evidence beside them', () =>
    visiting(async (watched) => {
      const { page } = watched
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Inbox' }).click()
      await rows(page)
        .nth(FAILURES - 1)
        .waitFor()
      assert.equal(await rows(page).count(), FAILURES)
      const { evaluations } = await call(here, '/v2/evaluations?verdict=fail&include=preview,reason')
      for (const [at, { preview, reason }] of evaluations.slice(0, 3).entries()) {
        const words = await rows(page).nth(at).innerText()
        for (const part of [
          'Personal data found',
          'pii-detector',
          preview.input,
          preview.output,
          reason.text,
        ])
          assert.ok(words.includes(part), `row ${at} lacks ${part}: ${words}`)
      }
      assert.ok((await openRow(page).innerText()).includes(MARKUP), 'content of spans is shown as text')
      await has(detail(page), 'Evaluated content')
      assert.equal(itemIn(page), evaluations[0].id)
      // Both scroll by themselves.
      const scrolls =
        '[...document.querySelectorAll(".inbox-list, .inbox-detail")].map((pane) => pane.scrollHeight > pane.clientHeight && getComputedStyle(pane).overflowY)'
      assert.deepEqual(await page.evaluate(scrolls), ['auto', 'auto'])
      assert.ok(await page.evaluate('document.documentElement.scrollHeight <= innerHeight'))
      assert.equal((await watched.axeIssues('all')).join('\n'), '')
    }))

  test('leads to the tenth bad answer in at most twelve keystrokes, and a link shows the same', () =>
    visiting(async (watched) => {
      const { page } = watched
      await watched.open('/inbox')
      await openRow(page).waitFor()
      const { evaluations } = await call(here, '/v2/evaluations?verdict=fail')
      let keystrokes = 0
      while (itemIn(page) !== evaluations[9].id) {
        await page.keyboard.press('j')
        keystrokes++
        assert.ok(
          keystrokes <= KEYSTROKES_MAX,
          `the tenth answer takes more than ${KEYSTROKES_MAX} keystrokes`,
        )
      }
      assert.equal(keystrokes, 9)
      await page.keyboard.press('j')
      await page.keyboard.press('k')
      const link = page.url()
      const question = (await openRow(page).innerText())
        .split('\n')
        .find((line) => line.startsWith('Who handles'))
      await has(detail(page), question ?? 'a question')
      const other = await newPage(here)
      await other.watched.signIn(here.showcase.operatorKey)
      await other.watched.page.goto(link)
      await has(detail(other.watched.page), question ?? 'a question')
      assert.equal(itemIn(other.watched.page), evaluations[9].id)
      await other.context.close()
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/evaluations/${evaluations[9].id}`)
      await page.goBack()
      await openRow(page).waitFor()
      await page.keyboard.press('?')
      await has(page.getByRole('dialog'), 'Disagree with the verdict')
    }))

  test('stores answers by one key, for several rows at once, and takes them back', () =>
    visiting(async (watched) => {
      const { page } = watched
      await watched.open('/inbox')
      await openRow(page).waitFor()
      await page.keyboard.press('1')
      await page.getByLabel('Your name').fill('Ada')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Reviewing as Ada' }).waitFor()
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      await keysReady(page)
      assert.deepEqual(await reviews(), [], 'no answer without a name')
      await page.keyboard.press('1')
      await has(rows(page).nth(0), 'You agree')
      assert.equal(
        await openRow(page).innerText(),
        await rows(page).nth(1).innerText(),
        'the next one is open',
      )
      await page.keyboard.press('0')
      await has(rows(page).nth(1), 'You disagree')
      assert.deepEqual(
        (await reviews()).map(({ actor, value, name, evaluator }) => [actor, value, name, evaluator]),
        [
          ['Ada', true, '$verdict', 'pii-detector'],
          ['Ada', false, '$verdict', 'pii-detector'],
        ],
      )
      await page.keyboard.press('u')
      await rows(page).nth(1).getByText('You disagree').waitFor({ state: 'detached' })
      assert.equal((await reviews()).length, 1)
      await page.keyboard.press('n')
      await page.getByLabel('Note', { exact: true }).fill('An example address.')
      await page.getByRole('button', { name: 'Disagree with note' }).click()
      await has(detail(page), /You disagree: An example address\./)
      assert.equal((await reviews())[0].comment, 'An example address.')
      for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
      await has(page.getByRole('region', { name: 'List' }), '2 evaluations selected')
      await page.keyboard.press('0')
      await has(rows(page).nth(2), 'You disagree')
      await has(rows(page).nth(3), 'You disagree')
      assert.equal((await reviews()).length, 4)
      await page.keyboard.press('u')
      await rows(page).nth(3).getByText('You disagree').waitFor({ state: 'detached' })
      await eventually(async () => (await reviews()).length === 2, 'both answers are taken back')
      await page.getByRole('button', { name: 'Not reviewed' }).click()
      await eventually(async () => (await rows(page).count()) === FAILURES - 2, 'reviewed rows are left out')
      assert.match(page.url(), /reviewed=false/)
    }))

  test('does not show an answer that could not be stored, and offers to try again', () =>
    visiting(async (watched) => {
      const { page } = watched
      await page.evaluate('localStorage.setItem("assay.reviewer", "Cy")')
      await watched.open('/inbox?reviewed=false')
      await openRow(page).waitFor()
      const before = (await reviews()).length
      await page.route('**/v2/scores', (route) =>
        route.fulfill({ status: 503, body: '{"error":"the store is away"}' }),
      )
      await page.keyboard.press('1')
      await page.getByText('Your answer was not saved. the store is away').waitFor()
      assert.equal(await rows(page).getByText('You agree').count(), 0)
      await page.unroute('**/v2/scores')
      watched.faults.length = 0
      await page.getByRole('button', { name: 'Retry' }).click()
      await has(rows(page).nth(0), 'You agree')
      assert.equal((await reviews()).length, before + 1)
    }))

  test('two reviewers answer a queue without seeing each other, and agreement grows', () =>
    visiting(async (watched) => {
      const { page } = watched
      await page.evaluate('localStorage.setItem("assay.reviewer", "Ada")')
      await watched.open('/inbox?evaluator=pii-detector&verdict=any')
      await page.getByRole('button', { name: 'Create a review queue' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Privacy')
      await page.getByLabel('Sample size').fill('12')
      await page.getByLabel('Reviewers (optional)').fill('Ada, Bo')
      assert.equal((await watched.axeIssues('all')).join('\n'), '')
      await page.getByRole('button', { name: 'Create queue' }).click()
      const queue = page.getByRole('region', { name: 'Review queue' })
      await has(queue, '0 of 12 reviewed by you')
      await has(queue, /not enough yet \(n = 0; 10 are needed\)/)
      await openRow(page).waitFor()
      const link = page.url()
      const bo = await newPage(here)
      await bo.watched.signIn(here.showcase.operatorKey)
      await bo.watched.page.goto(link)
      await bo.watched.page.getByLabel('Your name').fill('Bo')
      await bo.watched.page.keyboard.press('Enter')
      await openRow(bo.watched.page).waitFor()

      await page.keyboard.press('n')
      await page.getByLabel('Note', { exact: true }).fill('Ada knows why.')
      await page.getByRole('button', { name: 'Agree with note', exact: true }).click()
      await has(queue, '1 of 12 reviewed by you')
      await bo.watched.page.reload()
      await openRow(bo.watched.page).waitFor()
      await has(detail(bo.watched.page), 'Details')
      assert.equal(await bo.watched.page.getByText('Ada knows why.').count(), 0, 'Bo does not see it yet')
      await bo.watched.page.keyboard.press('0')
      await has(rows(bo.watched.page).nth(0), 'You disagree. Ada agrees')
      await bo.watched.page.keyboard.press('k')
      await has(detail(bo.watched.page), 'Ada knows why.')

      for (let at = 1; at < 10; at++) {
        await page.keyboard.press('j')
        await page.keyboard.press('1')
        await page.keyboard.press('k')
        await has(rows(page).nth(at), 'You agree')
      }
      await has(queue, '10 of 12 reviewed by you')
      await has(queue, /10 answers; (kappa 1 \(n = 10\), )?100% the same/)
      await has(queue, /Between Ada and Bo/)
      assert.equal((await watched.axeIssues('all')).join('\n'), '')
      bo.watched.assertClean()
      await bo.context.close()
      await page.getByRole('button', { name: 'Delete queue' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete queue' }).click()
      await page.getByText('The review queue was deleted.').waitFor()
      assert.equal((await call(here, '/v2/review-queues')).review_queues.length, 0)
    }))

  test('on a phone the evaluation takes the place of the list, in light and dark', () =>
    visiting(
      async (watched) => {
        const { page } = watched
        await watched.open('/inbox')
        await rows(page).first().waitFor()
        assert.equal(await detail(page).isVisible(), false)
        assert.ok(await watched.fitsPhone())
        await rows(page).first().getByRole('link').click()
        await has(detail(page), 'Evaluated content')
        assert.equal(await rows(page).first().isVisible(), false)
        assert.ok(await watched.fitsPhone())
        assert.equal((await watched.axeIssues('all')).join('\n'), '')
        await page.getByRole('button', { name: 'Back to the list' }).click()
        await rows(page).first().waitFor()
      },
      { width: 390, height: 844, colorScheme: 'dark' },
    ))
})
