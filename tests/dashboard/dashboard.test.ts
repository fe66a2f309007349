import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { dashboardPages } from './dashboard-pages.ts'
import { isNamed, walkTabOrder } from './keyboard.ts'
import { openStage, type Stage } from './stage.ts'
import { tellStory, workWithKeys } from './story.ts'
import { newPage } from './watched-page.ts'

/** What the first view may load, in bytes of gzipped JavaScript. */
const FIRST_VIEW_BYTES_MAX = 350 * 1_024

const { stage, skip } = await openStage()

describe('the dashboard', { skip }, () => {
  // Skipped tests never get here.
  const here = stage as Stage

  test('a wrong key is refused in words, a right one opens the overview and stays in the tab', async () => {
    const { watched, context } = await newPage(here)
    const { page } = watched
    await page.goto(here.showcase.url)
    await page.getByLabel('API key').fill('not-a-key-of-this-service')
    await page.getByRole('button', { name: 'Open the dashboard' }).click()
    await page.getByText('The service does not know this key.').waitFor()
    await watched.signIn(here.showcase.key)
    assert.equal(await page.getByRole('link', { name: 'Overview' }).getAttribute('aria-current'), 'page')
    const stored = await page.evaluate<string[]>(
      'Object.values(localStorage).concat(document.cookie, JSON.stringify(history.state), location.href)',
    )
    assert.ok(!stored.join().includes(here.showcase.key))
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('API key').waitFor()
    assert.equal(await page.evaluate('sessionStorage.length'), 0)
    watched.assertClean()
    await context.close()
  })

  test('the first view loads at most 350 KB of gzipped JavaScript', async () => {
    const { watched, context } = await newPage(here)
    await watched.signIn(here.showcase.key)
    const bodies = await Promise.all(watched.scripts.map((script) => script.body()))
    const bytes = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0)
    assert.ok(bytes > 50_000 && bytes <= FIRST_VIEW_BYTES_MAX, `${bytes} bytes`)
    await context.close()
  })

  test('from the key to the first scores and back', (on) => tellStory(on, here))

  test('a setup can be begun with the keyboard alone', () => workWithKeys(here))

  test('every page has no serious accessibility issue, light or dark, works with the keyboard alone and fits a phone', async (on) => {
    const { watched, context } = await newPage(here)
    await watched.signIn(here.showcase.key)
    for (const { name, path, reaches } of await dashboardPages(here)) {
      await on.test(name, async () => {
        await watched.open(path)
        const issues = await watched.axeIssues('all')
        // In the dark nothing is different but the colours.
        await watched.page.emulateMedia({ colorScheme: 'dark' })
        issues.push(...(await watched.axeIssues('colours')).map((issue) => `in the dark: ${issue}`))
        await watched.page.emulateMedia({ colorScheme: 'light' })
        assert.equal(issues.join('\n'), '')
        const stops = await walkTabOrder(watched.page)
        assert.equal(stops[0]?.name, 'Skip to content')
        for (const wanted of reaches)
          assert.ok(
            stops.some((stop) => isNamed(stop, wanted)),
            `Tab does not reach ${wanted}`,
          )
        assert.ok(await watched.fitsPhone(), 'it is wider than a phone')
        watched.assertClean()
      })
    }
    await context.close()
  })
})
