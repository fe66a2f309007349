import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { eventually } from '../support/spans.ts'
import { dashboardPages } from './dashboard-pages.ts'
import { isNamed, walkTabOrder } from './keyboard.ts'
import { openStage, type Stage } from './stage.ts'
import { tellStory, workWithKeys } from './story.ts'
import { newPage } from './watched-page.ts'

/** The most that the first view may load, in bytes of gzipped JavaScript. */
const FIRST_VIEW_BYTES_MAX = 250 * 1_024

/** Each of them costs a question of its own, and no more than six are under way at the same time. */
const FIRST_VIEW_FILES_MAX = 10
/** Evaluated in the page. */
const LOADED_SCRIPTS = "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))"

const { stage, skip } = await openStage()

describe('the dashboard', { skip }, () => {
  // Skipped tests never get here.
  const here = stage as Stage

  test('a wrong key is refused in words, a right one opens the home page and stays in the tab', async () => {
    const { watched, context } = await newPage(here)
    const { page } = watched
    await page.goto(here.showcase.url)
    await page.getByLabel('API key').fill('not-a-key-of-this-service')
    await page.getByRole('button', { name: 'Open the dashboard' }).click()
    await page.getByText('The service does not know this key.').waitFor()
    await watched.signIn(here.showcase.key)
    assert.equal(await page.getByRole('link', { name: 'Home' }).getAttribute('aria-current'), 'page')
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

  test('the first view loads at most 250 KB of gzipped JavaScript', async () => {
    const { watched, context } = await newPage(here)
    // The other pages follow after a while, which on a slow machine is over before the first view is there.
    await context.addInitScript(`
      const laterAsBefore = setTimeout
      window.setTimeout = (run, ms, ...rest) => (ms >= 1_000 ? 0 : laterAsBefore(run, ms, ...rest))`)
    await watched.signIn(here.showcase.key)
    const bodies = await Promise.all(watched.scripts.map((script) => script.body()))
    const bytes = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0)
    assert.ok(bytes > 50_000 && bytes <= FIRST_VIEW_BYTES_MAX, `${bytes} bytes`)
    await context.close()
  })

  test('a page comes in few files, has asked for its data before it is drawn, and brings the others along', async () => {
    const { watched, context } = await newPage(here)
    const { page } = watched
    await watched.signIn(here.showcase.key)
    await context.addInitScript(`
      const fetchAsBefore = fetch
      window.fetch = (...request) => {
        window.atFirst ??= { files: ${LOADED_SCRIPTS}.length, isDrawn: document.getElementById('root').childElementCount > 0 }
        return fetchAsBefore(...request)
      }`)
    const pages = await dashboardPages(here)
    for (const { name, path } of pages.filter(({ name }) => ['home', 'a monitor'].includes(name))) {
      await watched.open(path)
      const { files, isDrawn } = await page.evaluate<{ files: number; isDrawn: boolean }>('atFirst')
      assert.ok(files > 1 && files <= FIRST_VIEW_FILES_MAX, `${name}: ${files} files`)
      assert.equal(isDrawn, false, name)
    }
    await eventually(
      () => page.evaluate<boolean>(`${LOADED_SCRIPTS}.some(({ name }) => name.includes('settings-page'))`),
      'the other pages are loaded',
    )
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    watched.assertClean()
    await context.close()
  })

  test('from the key to the first scores and back', (on) => tellStory(on, here))

  test('a setup can be begun with the keyboard alone', () => workWithKeys(here))

  test('every page has no accessibility issue in light, dark and both densities, works with the keyboard alone and fits a phone', async (on) => {
    const { watched, context } = await newPage(here)
    await watched.signIn(here.showcase.key)
    for (const { name, path, reaches } of await dashboardPages(here)) {
      await on.test(name, async () => {
        await watched.open(path)
        const issues = await watched.axeIssuesInVariants()
        issues.push(...(await watched.axeIssuesOnPhone()))
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
