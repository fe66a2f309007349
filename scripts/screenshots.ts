// npm run screenshots: pictures of the dashboard for the documentation, of a service with a week of made-up data.
// -- --url=... --key=... takes them of a service that runs already.

import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startShowcase } from '../demo/showcase-service.ts'
import type { Browser, Page } from '../tests/dashboard/open-browser.ts'
import { findBrowser, openBrowser } from '../tests/dashboard/open-browser.ts'

const TRACES = 3_000
const PICTURE_BYTES_MAX = 300_000
/** After the last answer: charts are drawn, fonts are there. */
const CALM_MS = 600
const DESKTOP = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }

interface Picture {
  readonly name: string
  readonly address: string
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly colorScheme?: 'dark'
  /** The button pressed before the picture is taken, and the text that shows then. */
  readonly press?: { readonly button: string; readonly shows: RegExp }
}

interface Place {
  readonly url: string
  readonly key: string
}

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    key: { type: 'string' },
    out: { type: 'string', default: path.join(import.meta.dirname, '../docs/screenshots') },
  },
})
const executable = findBrowser()
if (executable === undefined) throw new Error('no Chromium was found; CHROME_PATH can name one')
mkdirSync(values.out, { recursive: true })
const given =
  values.url !== undefined && values.key !== undefined ? { url: values.url, key: values.key } : undefined
const dataDir = mkdtempSync(path.join(os.tmpdir(), 'assay-screenshots-'))
const showcase = given
  ? undefined
  : await startShowcase({ port: 0, dataDir, traces: TRACES, say: console.log })
const browser = await openBrowser(executable)
try {
  const place = given ?? (showcase as Place)
  for (const picture of await picturesOf(place)) await take(browser, place, picture)
} finally {
  await browser.close()
  await showcase?.close()
  rmSync(dataDir, { recursive: true, force: true })
}

/** The pictures to take: the pages that people see most, and the same page in the dark and on a phone. */
async function picturesOf({ url, key }: Place): Promise<Picture[]> {
  const get = async <Answer>(route: string) => {
    const answer = await fetch(url + route, { headers: { authorization: `Bearer ${key}` } })
    return (await answer.json()) as Answer
  }
  const { monitors } = await get<{ monitors: { id: string; evaluator_type: string }[] }>('/v2/monitors')
  const monitor = monitors.find(({ evaluator_type: slug }) => slug === 'faithfulness')
  const { incidents } = await get<{ incidents: { id: string }[] }>('/v2/incidents?limit=1')
  if (incidents.length === 0) throw new Error('the made-up data has no incident to show')
  const { evaluations } = await get<{ evaluations: { id: string }[] }>(
    '/v2/evaluations?evaluator_type=faithfulness&verdict=fail&limit=1',
  )
  const { traces } = await get<{ traces: { trace_id: string }[] }>(
    '/v2/traces?service=research-agent&limit=1',
  )
  return [
    { name: 'home', address: '/?range=7d' },
    { name: 'home-dark', address: '/?range=7d', colorScheme: 'dark' },
    { name: 'home-phone', address: '/?range=7d', viewport: PHONE },
    { name: 'incident', address: `/incidents/${incidents[0]?.id}` },
    { name: 'inbox', address: '/inbox?evaluator=faithfulness' },
    { name: 'evaluation', address: `/evaluations/${evaluations[0]?.id}` },
    { name: 'setup', address: '/setups/support-answer-quality' },
    { name: 'monitor', address: `/monitors/${monitor?.id}?range=7d` },
    { name: 'traces', address: '/traces?range=7d' },
    { name: 'trace', address: `/traces/${traces[0]?.trace_id}` },
    {
      name: 'evaluators',
      address: '/evaluators/pii-detector',
      press: { button: 'Run', shows: /^Raw response/ },
    },
  ]
}

async function take(browser: Browser, { url, key }: Place, picture: Picture): Promise<void> {
  const context = await browser.newContext({
    viewport: picture.viewport ?? DESKTOP,
    colorScheme: picture.colorScheme ?? 'light',
    locale: 'en-GB',
  })
  const page = await context.newPage()
  await page.goto(url)
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Open the dashboard' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await page.goto(url + picture.address)
  await untilCalm(page)
  if (picture.press !== undefined) {
    await page.getByRole('button', { name: picture.press.button, exact: true }).click()
    await page.getByText(picture.press.shows).waitFor()
    await untilCalm(page)
  }
  const file = path.join(values.out, `${picture.name}.png`)
  await page.screenshot({ path: file })
  await context.close()
  const { size } = statSync(file)
  if (size > PICTURE_BYTES_MAX)
    throw new Error(`${file} has ${size} bytes; ${PICTURE_BYTES_MAX} are the limit`)
  console.log(`${path.basename(file)}  ${Math.round(size / 1_000)} KB`)
}

async function untilCalm(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForLoadState('networkidle')
  await page
    .getByRole('status', { name: /^Loading/ })
    .first()
    .waitFor({ state: 'detached' })
  await page.waitForTimeout(CALM_MS)
}
