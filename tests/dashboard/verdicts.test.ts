import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { attributeList } from '../../demo/showcase-spans.ts'
import { eventually } from '../support/spans.ts'
import { openStage, type Stage } from './stage.ts'
import { newPage, type WatchedPage } from './watched-page.ts'

const { stage, skip } = await openStage()

/** Evaluated in the page: how many badges have words that do not fit, or that the frame around them cuts off. */
const CUT_WORDS = `[...document.querySelectorAll('.score-badge strong')].filter((words) => {
  const frame = words.closest('.waterfall-scores, .table-scroll').getBoundingClientRect()
  return words.scrollWidth > words.clientWidth + 1 || words.getBoundingClientRect().right > frame.right + 1
}).length`
const SESSION = 'a-conversation'
const SETUP = {
  external_id: 'privacy',
  selector: { 'service.name': 'shop' },
  evaluators: ['pii-detector', 'char-count'],
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

// A project of its own, in which it is known what passes and what fails.
async function call(
  { showcase }: Stage,
  path: string,
  { method = 'GET', body }: { method?: string; body?: Json } = {},
): Promise<Json> {
  const answer = await fetch(showcase.url + path, {
    method,
    headers: { authorization: `Bearer ${showcase.operatorKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  assert.ok(answer.ok, `${path}: ${text}`)
  return JSON.parse(text)
}

/** Has one answer with personal data and one without scored. */
async function fill(here: Stage): Promise<void> {
  await call(here, '/v2/auto-monitor-setups', { method: 'POST', body: SETUP })
  const spans = ['Write to anna.schmidt@example.org.', 'The cat sat on the mat.'].map((answer) => ({
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    name: 'chat',
    startTimeUnixNano: `${Date.now()}000000`,
    endTimeUnixNano: `${Date.now() + 250}000000`,
    attributes: attributeList({
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': answer,
      'session.id': SESSION,
    }),
  }))
  const resource = { attributes: attributeList({ 'service.name': 'shop' }) }
  const body = { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }
  await call(here, '/v1/traces', { method: 'POST', body })
  await eventually(
    async () => (await call(here, '/v2/evaluations?status=scored')).evaluations.length === 4,
    'both answers are scored',
  )
}

if (stage) await fill(stage)

describe('verdicts in the dashboard', { skip }, () => {
  const here = stage as Stage

  async function signedIn(work: (watched: WatchedPage) => Promise<void>): Promise<void> {
    const { watched, context } = await newPage(here)
    await watched.signIn(here.showcase.operatorKey)
    await work(watched)
    watched.assertClean()
    await context.close()
  }

  const monitorOf = async (slug: string): Promise<Json> =>
    (await call(here, `/v2/monitors?evaluator_type=${slug}`)).monitors[0]
  const failure = async (): Promise<Json> => (await call(here, '/v2/evaluations?verdict=fail')).evaluations[0]

  test('a monitor lists verdicts in plain words, filters by them and keeps the filter in the address', () =>
    signedIn(async (watched) => {
      const { page } = watched
      const monitor = await monitorOf('pii-detector')
      await watched.open(`/monitors/${monitor.id}`)
      const evaluations = page.getByRole('region', { name: 'Evaluations' })
      await evaluations.getByText('No personal data').first().waitFor()
      assert.equal(
        await evaluations.getByText('Scored', { exact: true }).and(page.locator('.badge')).count(),
        0,
      )
      await page.getByLabel('Verdict', { exact: true }).selectOption('fail')
      await evaluations.getByText('Personal data found').first().waitFor()
      await evaluations.getByText('No personal data').first().waitFor({ state: 'detached' })
      assert.match(page.url(), /[?&]verdict=fail/)
      await page.reload()
      await evaluations.getByText('Personal data found').first().waitFor()
      assert.equal(await page.getByLabel('Verdict', { exact: true }).inputValue(), 'fail')
      assert.equal(await evaluations.getByText('No personal data').count(), 0)
    }))

  test('a monitor says its rule and charts its pass rate', () =>
    signedIn(async (watched) => {
      const { page } = watched
      await watched.open(`/monitors/${(await monitorOf('pii-detector')).id}`)
      const main = page.getByRole('main')
      await main.getByText('has_pii is false', { exact: true }).waitFor()
      await page.getByLabel('Aggregation').selectOption('pass_rate')
      await page.getByRole('slider', { name: 'Pass rate over time' }).waitFor()
      await main.getByText(/The share of results that passed: has_pii is false/).waitFor()
      await main.getByRole('columnheader', { name: 'Pass rate' }).waitFor()
      assert.equal((await watched.axeIssues('all')).join('\n'), '')
    }))

  test('an evaluation, a trace and the list of traces say the verdict', () =>
    signedIn(async (watched) => {
      const { page } = watched
      const { id, trace_id: trace, span_id: span } = await failure()
      await watched.open(`/evaluations/${id}`)
      const outcome = page.getByRole('region', { name: 'Outcome' })
      await outcome.locator('.badge-bad').getByText('Personal data found').waitFor()
      assert.equal(await outcome.getByText('Scored', { exact: true }).count(), 0)
      await watched.open(`/traces/${trace}?span=${span}`)
      await page.locator('.waterfall-scores .score-fail').getByText('Personal data found').first().waitFor()
      assert.equal(await page.evaluate(CUT_WORDS), 0, 'words are cut in the waterfall')
      await page.getByRole('tab', { name: /^Results/ }).click()
      const results = page.getByRole('tabpanel', { name: /^Results/ })
      await results.locator('.badge-bad').getByText('Personal data found').waitFor()
      assert.equal(await results.getByText('Scored', { exact: true }).count(), 0)
      assert.equal((await watched.axeIssues('all')).join('\n'), '')
      await watched.open('/traces')
      const dot = page.getByRole('list', { name: 'Scores' }).locator('.score-fail').first()
      assert.equal(await dot.innerText(), 'pii-detector: Personal data found')
      assert.equal(await dot.getAttribute('title'), 'pii-detector: Personal data found')
    }))

  test('a turn of a session says the verdict', () =>
    signedIn(async (watched) => {
      await watched.open(`/sessions/${SESSION}`)
      await watched.page.locator('.session-turn .score-fail strong').first().waitFor()
    }))

  test('a monitor that only counts says so and offers neither verdicts nor a pass rate', () =>
    signedIn(async (watched) => {
      const { page } = watched
      await watched.open(`/monitors/${(await monitorOf('char-count')).id}`)
      await page.getByText('Results neither pass nor fail: this evaluator only measures.').waitFor()
      assert.equal(await page.getByLabel('Verdict', { exact: true }).count(), 0)
      assert.equal(await page.getByLabel('Aggregation').locator('option[value=pass_rate]').count(), 0)
    }))

  test('a setup has a threshold for evaluators with a number, with the default as placeholder, and keeps it', () =>
    signedIn(async (watched) => {
      const { page } = watched
      await watched.open('/setups/new?evaluator=semantic-similarity')
      const threshold = page.getByLabel('Verdict threshold')
      await threshold.waitFor()
      const { verdict } = await call(here, '/v2/evaluators/semantic-similarity')
      assert.equal(await threshold.getAttribute('placeholder'), String(verdict.threshold))
      await threshold.fill('0.85')
      await page.getByText('Threshold 0.85', { exact: true }).waitFor()
      assert.equal((await watched.axeIssues('all')).join('\n'), '')
      await page.getByLabel('Sampling rate (%)').fill('50')
      await page.getByRole('tab', { name: 'JSON' }).click()
      const json = page.getByRole('textbox', { name: /JSON|definition/i })
      const [config] = JSON.parse(await json.inputValue()).evaluator_configs
      assert.deepEqual(config, { slug: 'semantic-similarity', sampling_rate: 0.5, verdict_threshold: 0.85 })
    }))

  test('a new judge asks which answer is good, follows a new name of it, and saves the rule', () =>
    signedIn(async (watched) => {
      const { page } = watched
      await watched.open('/evaluators/new')
      await page.getByText(/^Which answers are good\?/).waitFor()
      assert.equal(await page.getByLabel('Good when it is').inputValue(), 'true')
      await page.getByLabel('Name', { exact: true }).first().fill('Rudeness')
      await page.getByLabel('Model', { exact: true }).fill('gpt-4o-mini')
      await page.locator('input[value=pass]').fill('is_rude')
      await page.getByLabel('Good when it is').selectOption('No')
      await page.getByLabel('Label for fail').fill('Rude')
      assert.equal((await watched.axeIssues('all')).join('\n'), '')
      await page.getByRole('button', { name: 'Save' }).first().click()
      await page.getByRole('heading', { level: 1, name: 'Rudeness' }).waitFor()
      await page.getByText('A result passes when is_rude is false.').waitFor()
      const { verdict } = await call(here, '/v2/evaluators/rudeness')
      assert.deepEqual([verdict.rule, verdict.fail_label], ['is_rude is false', 'Rude'])
      await watched.open('/evaluators/rudeness/edit')
      assert.equal(await page.getByLabel('Good when it is').inputValue(), 'false')
      assert.equal(await page.getByLabel('Label for fail').inputValue(), 'Rude')
    }))
})
