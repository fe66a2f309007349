import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { attributeList, sqlAnswer } from '../../demo/showcase-spans.ts'
import { isNamed, tabTo, walkTabOrder } from './keyboard.ts'
import type { Stage } from './stage.ts'
import { newPage, type WatchedPage } from './watched-page.ts'

/** How many spans the application of the story sends. */
const SPANS = 6

/** The first day of a user, from pasting the key to revoking one; in an empty project. */
export async function tellStory(on: TestContext, stage: Stage): Promise<void> {
  const { watched, context } = await newPage(stage)
  const { page } = watched
  const step = (name: string, act: () => Promise<void>) =>
    on.test(name, async () => {
      await act()
      watched.assertClean()
    })

  await step('the empty home page tells the next step, with the address of this server', async () => {
    await watched.signIn(stage.showcase.operatorKey)
    await page.getByRole('tab', { name: 'OpenTelemetry JS' }).waitFor()
    const snippet = await page.getByRole('tabpanel', { name: 'OpenTelemetry JS' }).textContent()
    assert.ok(snippet?.includes(`${stage.showcase.url}/v1/traces`))
    await page.getByRole('link', { name: 'Create a setup' }).click()
  })

  await step('a setup is put together and waits for spans', async () => {
    await page.getByLabel('External id').fill('queries-are-sql')
    await page.getByRole('button', { name: 'Add a rule' }).click()
    await page.getByLabel('Rule 1: where the attribute is').selectOption('resource_attributes')
    await page.getByRole('combobox', { name: 'Rule 1: key' }).fill('service.name')
    await page.getByRole('combobox', { name: 'Rule 1: value' }).fill('sql-assistant')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Choose evaluators' }).click()
    const catalogue = page.getByRole('dialog', { name: 'Choose evaluators' })
    await catalogue.getByRole('checkbox', { name: /sql-validator/ }).check()
    await catalogue.getByRole('checkbox', { name: /word-count\b(?!-)/ }).check()
    await catalogue.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Create setup' }).click()
    await page.getByRole('row', { name: /queries-are-sql.*Waiting for spans/ }).waitFor()
  })

  await step('spans come in, and the state changes while one looks at it', async () => {
    await sendSpans(stage)
    await page.getByRole('row', { name: /queries-are-sql.*Completed/ }).waitFor()
  })

  await step('the monitor shows what came of them', async () => {
    await page
      .getByRole('row', { name: /queries-are-sql/ })
      .getByRole('link', { name: 'sql-validator' })
      .click()
    await page.getByRole('heading', { level: 1, name: /sql-validator/i }).waitFor()
    await page
      .getByRole('slider', { name: /over time/i })
      .first()
      .waitFor()
  })

  await step('an evaluation opens beside it, and Escape closes it', async () => {
    const evaluations = page.getByRole('region', { name: 'Evaluations' })
    await evaluations.getByRole('button').first().click()
    const dialog = page.getByRole('dialog', { name: 'Evaluation' })
    await dialog.getByText('Evaluated content').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await evaluations
      .getByRole('link', { name: /^span / })
      .first()
      .click()
  })

  await step('the trace explains why its span was scored', async () => {
    await page.getByRole('tab', { name: 'Why (not) scored' }).click()
    await page
      .getByRole('tabpanel', { name: 'Why (not) scored' })
      .getByText('queries-are-sql')
      .first()
      .waitFor()
  })

  await step('an evaluator is tried in the playground', () => tryEvaluator(watched))
  await step('a judge of one’s own is tried, saved and run', () => writeJudge(watched))
  await step('a key is made, shown once and revoked', () => makeAndRevokeKey(watched))
  await context.close()
}

async function sendSpans({ showcase }: Stage): Promise<void> {
  const moment = { atMs: Date.now() - 1_000, isAfterDeploy: false, random: Math.random }
  const resourceSpans = Array.from({ length: SPANS }, () => sqlAnswer(moment)).map(({ resource, spans }) => ({
    resource: { attributes: attributeList(resource) },
    scopeSpans: [{ spans }],
  }))
  const answer = await fetch(`${showcase.url}/v1/traces`, {
    method: 'POST',
    headers: { authorization: `Bearer ${showcase.operatorKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans }),
  })
  assert.equal(answer.status, 200)
}

async function tryEvaluator(watched: WatchedPage): Promise<void> {
  const { page } = watched
  await watched.open('/evaluators/json-validator')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('Raw response').waitFor()
}

/** The draft of a new judge works as it stands; the fake judge answers it. */
async function writeJudge(watched: WatchedPage): Promise<void> {
  const { page } = watched
  await watched.open('/evaluators/new')
  await page.getByLabel('Name', { exact: true }).first().fill('Politeness')
  await page.getByLabel('Completion', { exact: true }).fill('Gladly: your bell is on its way.')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.locator('.tried-facts', { hasText: 'openai/' }).waitFor()
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Politeness' }).waitFor()
  await page.getByLabel('Completion', { exact: true }).fill('Look for it yourself.')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.locator('.tried-facts', { hasText: 'openai/' }).waitFor()
}

async function makeAndRevokeKey(watched: WatchedPage): Promise<void> {
  const { page } = watched
  await watched.open('/settings')
  await page.getByRole('button', { name: 'New key' }).click()
  const form = page.getByRole('dialog', { name: 'New API key' })
  await form.getByLabel('Name').fill('a short life')
  await form.getByRole('button', { name: 'Create key' }).click()
  const secret = (await form.locator('pre').textContent()) ?? ''
  assert.match(secret, /^tl_/)
  await form.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('button', { name: 'Revoke a short life' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
  await page.getByRole('row', { name: /a short life.*Revoked/ }).waitFor()
}

/** The same beginning with nothing but keys: signs in, gets to a new setup and back out of its catalogue. */
export async function workWithKeys(stage: Stage): Promise<void> {
  const { watched, context } = await newPage(stage)
  const { page } = watched
  await page.goto(stage.showcase.url)
  // The field has the focus by itself, once the page is there.
  await page.getByLabel('API key').and(page.locator(':focus')).waitFor()
  await page.keyboard.type(stage.showcase.key)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await tabTo(page, 'Setups')
  await page.keyboard.press('Enter')
  await tabTo(page, 'New setup')
  await page.keyboard.press('Enter')
  await tabTo(page, 'Choose evaluators')
  await page.keyboard.press('Enter')
  const catalogue = page.getByRole('dialog', { name: 'Choose evaluators' })
  await catalogue.waitFor()
  await tabTo(page, /faithfulness/i)
  await page.keyboard.press('Space')
  assert.ok(await catalogue.getByRole('checkbox', { name: /\bfaithfulness\b/ }).isChecked())
  await page.keyboard.press('Escape')
  await catalogue.waitFor({ state: 'hidden' })
  // Closing a dialog returns the focus to the control that opened it.
  await page.getByRole('button', { name: 'Choose evaluators' }).and(page.locator(':focus')).waitFor()
  await tabTo(page, 'Form')
  await page.keyboard.press('ArrowRight')
  assert.equal(await page.getByRole('tab', { name: 'JSON' }).getAttribute('aria-selected'), 'true')
  const stops = await walkTabOrder(page)
  assert.ok(stops.some((stop) => isNamed(stop, 'Create setup')))
  watched.assertClean()
  await context.close()
}
