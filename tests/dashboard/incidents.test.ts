import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { FIRST_KEY } from '../support/call.ts'
import { FALLING_SETUP, sendFallingSpans, untilIncident } from '../support/falling-spans.ts'
import { startService } from '../support/service.ts'
import { openBrowser } from './open-browser.ts'
import { findStageBrowser } from './stage.ts'

const { executable, skip } = findStageBrowser()

test('a drop after a deploy leads from the home page to the incident and to the inbox', {
  skip,
}, async () => {
  const service = await startService()
  const made = await service.call('POST', '/v2/auto-monitor-setups', { body: FALLING_SETUP })
  assert.equal(made.status, 201)
  await sendFallingSpans(service)
  await untilIncident(service)
  const browser = await openBrowser(executable as string)
  after(() => browser.close())
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
  page.setDefaultTimeout(120_000)
  const shots = process.env['TEST_SCREENSHOTS']
  const shoot = async (name: string) => {
    if (shots) await page.screenshot({ path: `${shots}/${name}.png`, fullPage: true })
  }
  await page.goto(service.url)
  await page.getByLabel('API key').fill(FIRST_KEY)
  await page.getByRole('button', { name: 'Open the dashboard' }).click()
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  const shop = page.getByRole('region', { name: 'Applications' }).getByRole('listitem').first()
  await shop.getByText('1 open incident').waitFor()
  await shop.getByRole('link', { name: 'Personal data found' }).waitFor()
  await shoot('home')
  await page.getByRole('link', { name: /^shop: pii-detector fell by/ }).click()
  await page.getByRole('heading', { level: 1, name: /^shop: pii-detector fell by/ }).waitFor()
  await page.getByText('Where is my parcel?').first().waitFor()
  assert.ok((await page.getByText('2.0.0').count()) > 0)
  await shoot('incident')
  if (shots) {
    await page.emulateMedia({ colorScheme: 'dark' })
    await shoot('incident-dark')
    await page.setViewportSize({ width: 390, height: 844 })
    await shoot('incident-phone')
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 1440, height: 900 })
  }
  await page.getByRole('link', { name: 'Review these' }).click()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  assert.match(page.url(), /\/inbox\?.*application=shop/)
  await page.goBack()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  const dialog = page.getByRole('dialog', { name: 'Dismiss this incident' })
  await dialog.getByLabel('Your name').fill('Ada')
  await dialog.getByLabel('Reason').fill('A planned test')
  await dialog.getByRole('button', { name: 'Dismiss' }).click()
  await page.getByText('Dismissed by Ada').waitFor()
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await page.getByRole('region', { name: 'Applications' }).waitFor()
  assert.equal(await page.getByText('Open incidents').count(), 0)
})
