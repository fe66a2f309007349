import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Showcase } from '../../demo/showcase-service.ts'
import { DASHBOARD_DIR } from '../../src/http/dashboard/dashboard-files.ts'
import { FIRST_KEY } from '../support/call.ts'
import { untilIncident } from '../support/falling-spans.ts'
import { sendRagTraces } from '../support/rag-traces.ts'
import { startService, type TestService } from '../support/service.ts'
import { openBrowser } from './open-browser.ts'
import { findStageBrowser } from './stage.ts'
import { newPage, type WatchedPage } from './watched-page.ts'

const HOUR_MS = 3_600_000
const HISTORY = 500
const HISTORY_HOURS = 50
const AFTER_DEPLOY = 60
const AFTER_HOURS = 3
/** The goal: from the incident to the tenth bad answer. */
const KEYSTROKES_MAX = 12

/** More than one evaluator may notice it. */
const INCIDENT = /^Refund bot: pii-detector .*fell by/

const { executable, skip } = findStageBrowser()

test('from the first spans to a reviewed incident', { skip }, async () => {
  const service = await startService({ ASSAY_SETUP_REST_MS: '0' }, { dashboardDir: DASHBOARD_DIR })
  const browser = await openBrowser(executable ?? '')
  after(() => browser.close())
  const showcase = { url: service.url, key: FIRST_KEY, operatorKey: FIRST_KEY } as Showcase
  const { watched, context } = await newPage({ browser, showcase })
  await watched.signIn(FIRST_KEY)
  await acceptSuggestion(watched, service)
  await deployWorseVersion(service)
  await openIncident(watched)
  await reviewWithKeys(watched, service)
  await dismissIncident(watched)
  watched.assertClean()
  await context.close()
})

/** A day without failures begins after the deploy, so that both stand in whole hours. */
const deployedMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - AFTER_HOURS * HOUR_MS

/** The spans of a bot arrive while its owner watches; what is suggested scores all of them at a click. */
async function acceptSuggestion({ page }: WatchedPage, service: TestService): Promise<void> {
  await page.getByText('Waiting for your first spans').waitFor()
  await sendRagTraces(service, 0, HISTORY, {
    fromMs: deployedMs - HISTORY_HOURS * HOUR_MS,
    stepMs: (HISTORY_HOURS * HOUR_MS) / HISTORY,
    version: '1.0.0',
    isBad: (at) => at % 25 === 7,
  })
  await page.getByText('We see a retrieval-augmented assistant.').waitFor()
  // Takes seconds for so many answers, and adds nothing to the story.
  await page.getByRole('checkbox', { name: /^toxicity-detector/ }).uncheck()
  await page.getByRole('button', { name: `Create and score the last ${HISTORY} (free)` }).click()
  await page.getByText(`Scored ${HISTORY} traces.`).waitFor()
}

async function deployWorseVersion(service: TestService): Promise<void> {
  await sendRagTraces(service, HISTORY, AFTER_DEPLOY, {
    fromMs: deployedMs,
    stepMs: (AFTER_HOURS * HOUR_MS) / AFTER_DEPLOY,
    version: '2.0.0',
    isBad: (at) => at % 4 !== 3,
  })
  await untilIncident(service)
}

async function openIncident(watched: WatchedPage): Promise<void> {
  const { page } = watched
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  const bot = page.getByRole('region', { name: 'Applications' }).getByRole('listitem').first()
  await bot.getByText('1 open incident').waitFor()
  await bot.getByRole('link', { name: 'Personal data found' }).waitFor()
  await shoot(watched, 'home')
  await page.getByRole('link', { name: INCIDENT }).click()
  await page.getByRole('heading', { level: 1, name: INCIDENT }).waitFor()
  await page
    .getByText(/^How long does refund 5\d\d take\?$/)
    .first()
    .waitFor()
  assert.ok((await page.getByText('2.0.0').count()) > 0, 'the deploy is named')
  await page
    .getByRole('list', { name: 'Changes in this chart' })
    .getByText('2.0.0')
    .waitFor({ state: 'attached' })
  assert.equal((await watched.axeIssues('all')).join('\n'), '')
  await shoot(watched, 'incident')
}

/** Rows that can be read, the tenth bad answer in a few keystrokes, three answers, and an agreement that has changed. */
async function reviewWithKeys(watched: WatchedPage, service: TestService): Promise<void> {
  const { page } = watched
  await page.getByRole('link', { name: 'Review these' }).click()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  const rows = page.getByRole('list', { name: 'Evaluations' }).getByRole('listitem')
  await rows.nth(9).waitFor()
  const found = await rows.filter({ hasText: 'Personal data found' }).first().innerText()
  for (const words of ['How long does refund', 'Write to jane.doe', 'pii-detector', 'Found an email address'])
    assert.ok(found.includes(words), found)
  const tenth = await rows.nth(9).innerText()
  let keystrokes = 0
  while ((await page.locator('.inbox-row-open').innerText()) !== tenth) {
    await page.keyboard.press('j')
    keystrokes++
    assert.ok(keystrokes <= KEYSTROKES_MAX, `the tenth answer takes more than ${KEYSTROKES_MAX} keystrokes`)
  }
  await shoot(watched, 'inbox')
  assert.equal(await reviewedPairs(service), 0)
  await page.keyboard.press('1')
  await page.getByLabel('Your name').fill('Ada')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Reviewing as Ada' }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  // A page listens to its keys anew a moment after it was drawn.
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))',
  )
  for (const [at, key] of ['1', '0', '1'].entries()) {
    await page.keyboard.press(key)
    await rows
      .getByText(/^You (agree|disagree)/)
      .nth(at)
      .waitFor()
  }
  assert.equal(await reviewedPairs(service), 3)
}

/** Units of which both a monitor and a person have given a verdict. */
async function reviewedPairs(service: TestService): Promise<number> {
  const { json } = await service.call('GET', '/v2/monitors')
  let pairs = 0
  for (const { id } of json.monitors) {
    const { json: agreement } = await service.call('GET', `/v2/monitors/${id}/agreement`)
    for (const found of agreement.properties) if (found.property === '$verdict') pairs += found.pairs
  }
  return pairs
}

async function dismissIncident({ page }: WatchedPage): Promise<void> {
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await page.getByRole('link', { name: INCIDENT }).click()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  const dialog = page.getByRole('dialog', { name: 'Dismiss this incident' })
  await dialog.getByLabel('Your name').fill('Ada')
  await dialog.getByLabel('Reason').fill('A planned test')
  await dialog.getByRole('button', { name: 'Dismiss' }).click()
  await page.getByText('Dismissed by Ada').waitFor()
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await page.getByRole('region', { name: 'Applications' }).waitFor()
  assert.equal(await page.getByText('Open incidents').count(), 0)
}

/** Keeps a picture where TEST_SCREENSHOTS names a folder, for people who want to look at the story. */
async function shoot({ page }: WatchedPage, name: string): Promise<void> {
  const folder = process.env['TEST_SCREENSHOTS']
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}
