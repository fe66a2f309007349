import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../support/spans.ts'
import { dashboardPages } from './dashboard-pages.ts'
import { openStage, type Stage } from './stage.ts'
import { newPage, type WatchedPage } from './watched-page.ts'

const { stage, skip } = await openStage()

/** Evaluated in the page: the height of the first row of the first table. */
const ROW_HEIGHT = "document.querySelector('tbody tr').getBoundingClientRect().height"

describe('the frame of the dashboard', { skip }, () => {
  // Skipped tests never get here.
  const here = stage as Stage

  async function signedIn(settings: Parameters<typeof newPage>[1] = {}) {
    const { watched, context } = await newPage(here, settings)
    await watched.signIn(here.showcase.key)
    return { watched, page: watched.page, context }
  }

  test('has a font of its own, which browsers keep, and fetches further characters when they show', async () => {
    const { watched, context } = await newPage(here)
    const { page } = watched
    const fonts: string[] = []
    page.on('response', (response) => {
      if (response.request().resourceType() === 'font') fonts.push(response.url())
    })
    await watched.signIn(here.showcase.key)
    await page.evaluate('document.fonts.ready')
    assert.equal(fonts.filter((url) => url.includes('inter-latin-wght')).length, 1)
    assert.ok(!fonts.some((url) => url.includes('latin-ext')), 'the second file is fetched without need')
    assert.ok(await page.evaluate<boolean>(`document.fonts.check('14px "Inter Variable"')`))
    const file = await fetch(fonts[0] ?? '')
    assert.equal(file.headers.get('content-type'), 'font/woff2')
    assert.match(file.headers.get('cache-control') ?? '', /immutable/)
    await page.evaluate("document.querySelector('h1').append('Łódź')")
    await eventually(
      async () => fonts.some((url) => url.includes('inter-latin-ext')),
      'the file with further characters is fetched',
    )
    const licence = await fetch(`${here.showcase.url}/assets/inter-licence.txt`)
    assert.match(await licence.text(), /SIL OPEN FONT LICENSE Version 1\.1/)
    watched.assertClean()
    await context.close()
  })

  test('asks whether the service is well and leaves no request open', async () => {
    const { watched, context } = await newPage(here)
    const { page } = watched
    const health = page.waitForEvent('requestfinished', {
      predicate: (request) => request.url().endsWith('/readyz'),
    })
    await watched.signIn(here.showcase.key)
    await health
    watched.assertClean()
    await context.close()
  })

  test('the theme says what it is, goes round and is remembered', async () => {
    const { watched, page, context } = await signedIn()
    const colour = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    const light = await colour()
    for (const [before, after] of [
      ['System', 'Light'],
      ['Light', 'Dark'],
    ] as const) {
      await page.getByRole('button', { name: `Theme: ${before}`, exact: true }).click()
      await page.getByRole('button', { name: `Theme: ${after}`, exact: true }).waitFor()
    }
    assert.notEqual(await colour(), light)
    await watched.open('/setups')
    await page.getByRole('button', { name: 'Theme: Dark', exact: true }).waitFor()
    assert.notEqual(await colour(), light)
    await context.close()
  })

  test('rows of tables are lower when they are compact, also after a reload', async () => {
    const { watched, page, context } = await signedIn()
    await watched.open('/monitors')
    const comfortable = await page.evaluate<number>(ROW_HEIGHT)
    await page.getByRole('button', { name: 'Rows: Comfortable', exact: true }).click()
    const compact = await page.evaluate<number>(ROW_HEIGHT)
    assert.ok(compact <= comfortable - 8, `${compact} and ${comfortable}`)
    await watched.open('/monitors')
    await page.getByRole('button', { name: 'Rows: Compact', exact: true }).waitFor()
    assert.equal(await page.evaluate<number>(ROW_HEIGHT), compact)
    await context.close()
  })

  test('a list that is loading has the shape of what is coming', async () => {
    const { watched, page, context } = await signedIn()
    for (const [address, asked, shape] of [
      ['/', '/v2/applications', '.loading-cards'],
      ['/setups', '/v2/auto-monitor-setups', '.loading-table'],
      ['/monitors', '/v2/monitors', '.loading-table'],
      ['/traces', '/v2/traces', '.loading-table'],
      ['/traces?view=sessions', '/v2/sessions', '.loading-table'],
      ['/evaluators', '/v2/evaluators', '.loading-cards'],
    ] as const) {
      const answered = Promise.withResolvers<void>()
      const isAsked = ({ pathname }: URL) => pathname === asked
      await page.route(isAsked, async (route) => {
        await answered.promise
        await route.continue()
      })
      await page.goto(here.showcase.url + address)
      await page.locator(`main ${shape}`).first().waitFor()
      answered.resolve()
      await page.locator(`main ${shape}`).first().waitFor({ state: 'detached' })
      await page.unroute(isAsked)
    }
    watched.assertClean()
    await context.close()
  })

  test('tabs stay in one line on a phone and scroll', async () => {
    const { watched, page, context } = await signedIn({ width: 390, height: 844 })
    await watched.open('/settings')
    const tabs = await page.getByRole('tab').all()
    assert.ok(tabs.length > 3)
    const boxes = await Promise.all(tabs.map((tab) => tab.boundingBox()))
    assert.equal(new Set(boxes.map((box) => box?.y)).size, 1)
    assert.equal(new Set(boxes.map((box) => box?.height)).size, 1)
    await context.close()
  })

  test('on a phone every section is one tap away, and none is cut', async () => {
    const { page, context } = await signedIn({ width: 390, height: 844 })
    const links = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').all()
    assert.equal(links.length, 7)
    for (const link of links) {
      const box = await link.boundingBox()
      assert.ok(box && box.x >= 0 && box.x + box.width <= 390 && box.y + box.height <= 844)
      assert.ok(box.height >= 44, `${box.height} pixels are too low for a finger`)
      assert.ok(await link.evaluate(isWhole))
    }
    await context.close()
  })

  test('an address that leads nowhere is a page with a way back', async () => {
    const { watched, page, context } = await signedIn()
    await watched.open('/monitors/a/b/c')
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
    await page.getByText('/monitors/a/b/c', { exact: true }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Monitors' }).waitFor()
    await page.getByRole('link', { name: 'Back to the home page' }).click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    watched.assertClean()
    await context.close()
  })

  test('says at the top when the service cannot be reached', async () => {
    const { page, context } = await newPage(here).then(async ({ watched, context }) => {
      await context.route('**/readyz', (route) => route.abort())
      await watched.signIn(here.showcase.key)
      return { page: watched.page, context }
    })
    await page.getByRole('status').getByText('The server cannot be reached.').waitFor()
    await context.close()
  })
})

describe('the command palette', { skip }, () => {
  const here = stage as Stage

  async function opened(): Promise<{ watched: WatchedPage; close: () => Promise<void> }> {
    const { watched, context } = await newPage(here)
    await watched.signIn(here.showcase.key)
    await openPalette(watched)
    return { watched, close: () => context.close() }
  }

  test('opens with Ctrl-K as a combobox with a list, and closes with Escape', async () => {
    const { watched, close } = await opened()
    const { page } = watched
    const field = page.getByRole('combobox', { name: 'Search and commands' })
    assert.equal(await field.getAttribute('aria-expanded'), 'true')
    assert.ok(await field.getAttribute('aria-activedescendant'), 'no option is chosen')
    assert.equal(await page.getByRole('listbox').getByRole('option', { selected: true }).count(), 1)
    assert.equal((await watched.axeIssues('all')).join('\n'), '')
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    watched.assertClean()
    await close()
  })

  test('goes to pages, setups, monitors, evaluators and traces with the keyboard alone', async () => {
    const { watched, close } = await opened()
    const { page } = watched
    const pages = await dashboardPages(here)
    const trace = pages.find(({ name }) => name === 'a trace')?.path ?? ''
    for (const [typed, option, address] of [
      ['setti', /^Settings/, /\/settings$/],
      ['support-saf', /^support-safety$/, /\/setups\/support-safety$/],
      ['faithfulness support', /^faithfulness/, /\/monitors\/[\w-]+$/],
      ['pii-detector', /pii-detector/i, /\/(evaluators\/pii-detector|monitors\/[\w-]+)$/],
      [trace.replace('/traces/', ''), /^Open trace/, new RegExp(`${trace}$`)],
    ] as const) {
      await page.keyboard.type(typed)
      const wanted = page.getByRole('option', { name: option }).first()
      await wanted.waitFor()
      await chooseWithKeys(watched, wanted)
      await page.waitForURL(address)
      await page.getByRole('combobox', { name: 'Search and commands' }).waitFor({ state: 'detached' })
      await watched.settled()
      await openPalette(watched)
    }
    watched.assertClean()
    await close()
  })

  test('runs actions: the theme, the density, the list of shortcuts, signing out', async () => {
    const { watched, close } = await opened()
    const { page } = watched
    await page.keyboard.type('theme dark')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Theme: Dark', exact: true }).waitFor()
    await openPalette(watched)
    await page.keyboard.type('density')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Rows: Compact', exact: true }).waitFor()
    await openPalette(watched)
    await page.keyboard.type('keyboard sh')
    await page.keyboard.press('Enter')
    await page
      .getByRole('dialog', { name: 'Keyboard shortcuts' })
      .getByText('Open the command palette')
      .waitFor()
    await page.keyboard.press('Escape')
    await openPalette(watched)
    await page.keyboard.type('sign out')
    await page.keyboard.press('Enter')
    await page.getByLabel('API key').waitFor()
    watched.assertClean()
    await close()
  })

  test('? lists the shortcuts; neither acts while one types in a field', async () => {
    const { watched, close } = await opened()
    const { page } = watched
    await page.keyboard.press('Escape')
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    await list.waitFor()
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    await watched.open('/setups')
    const field = page.getByRole('searchbox', { name: 'Search by name' })
    await field.focus()
    await page.keyboard.type('a?')
    await page.keyboard.press('Control+k')
    assert.equal(await field.inputValue(), 'a?')
    assert.equal(await page.getByRole('dialog').count(), 0)
    await close()
  })

  test('asks before it leaves a form that is not saved', async () => {
    const { watched, context } = await newPage(here)
    const { page } = watched
    await watched.signIn(here.showcase.key)
    await watched.open('/setups/new')
    await page.getByLabel('External id').fill('half-done')
    await page.getByRole('heading', { level: 1 }).click()
    await openPalette(watched)
    await page.keyboard.type('home')
    await page.keyboard.press('Enter')
    await page
      .getByRole('dialog', { name: 'Leave without saving?' })
      .getByRole('button', { name: 'Leave' })
      .click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    watched.assertClean()
    await context.close()
  })
})

/** Runs in the page: whether nothing of the element is cut off. */
function isWhole(element: unknown): boolean {
  const { scrollWidth, clientWidth } = element as { scrollWidth: number; clientWidth: number }
  return scrollWidth <= clientWidth
}

async function openPalette({ page }: WatchedPage): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search and commands' }).and(page.locator(':focus')).waitFor()
}

/** Goes down the list until the option is the active one, and presses Enter. */
async function chooseWithKeys({ page }: WatchedPage, option: ReturnType<WatchedPage['page']['getByRole']>) {
  for (let count = 0; count < 60; count++) {
    if ((await option.getAttribute('aria-selected')) === 'true') return page.keyboard.press('Enter')
    await page.keyboard.press('ArrowDown')
  }
  assert.fail('the arrow keys do not reach the option')
}
