import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContext, Page, Response } from 'playwright-core'
import type { Stage } from './stage.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const WIDTH = 1280
const HEIGHT = 800
const PHONE_WIDTH = 360
/** Longest time that a test waits for something to appear, in milliseconds: far more than a slow and busy machine needs. */
const PATIENCE_MS = 120_000
/** Charts are drawn anew some frames after their place has become narrower. */
const FRAMES_MAX = 300
/** Evaluated in the page: how wide it is once nothing sticks out any more, or after all frames that it may take. */
const SETTLED_WIDTH = `(async () => {
  for (let frame = 0; frame < ${FRAMES_MAX} && document.documentElement.scrollWidth > innerWidth; frame++)
    await new Promise(requestAnimationFrame)
  return document.documentElement.scrollWidth
})()`

/** Rules of axe-core whose outcome colours and distances decide. */
const LOOK_RULES = ['color-contrast', 'link-in-text-block', 'target-size', 'scrollable-region-focusable']
/** Besides light and comfortable, which a page begins with. */
const VARIANTS = [
  ['light', 'compact'],
  ['dark', 'compact'],
  ['dark', 'comfortable'],
] as const

interface AxeIssue {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** A tab of the browser in which everything that must not happen is noticed. */
export class WatchedPage {
  readonly page: Page
  readonly faults: string[] = []
  readonly scripts: Response[] = []
  readonly #origin: string
  readonly #secrets: readonly string[]

  constructor(page: Page, { showcase }: Stage) {
    this.page = page
    this.#origin = showcase.url
    this.#secrets = [showcase.key, showcase.operatorKey]
    page.setDefaultTimeout(PATIENCE_MS)
    page.on('request', (request) => this.#look(request.url()))
    page.on('response', (response) => {
      if (response.request().resourceType() === 'script') this.scripts.push(response)
    })
    page.on('console', (message) => {
      if (message.type() === 'error' && !isExpected(message.text()))
        this.faults.push(`console: ${message.text()}`)
    })
    page.on('pageerror', (error) => this.faults.push(`error: ${error.message}`))
  }

  #look(url: string): void {
    if (!url.startsWith(this.#origin) && !url.startsWith('data:')) this.faults.push(`request to ${url}`)
    if (this.#secrets.some((secret) => decodeURIComponent(url).includes(secret)))
      this.faults.push(`a key in the address ${url}`)
  }

  async signIn(key: string): Promise<void> {
    await this.page.goto(this.#origin)
    await this.page.getByLabel('API key').fill(key)
    await this.page.getByRole('button', { name: 'Open the dashboard' }).click()
    await this.page.getByRole('navigation', { name: 'Main' }).waitFor()
    await this.settled()
  }

  /** Opens an address of the dashboard and waits until what it shows is there. */
  async open(path: string): Promise<void> {
    await this.page.goto(this.#origin + path)
    await this.settled()
  }

  /** Waits for the heading and until nothing is being loaded. */
  async settled(): Promise<void> {
    await this.page.getByRole('heading', { level: 1 }).first().waitFor()
    await this.page
      .getByRole('status', { name: /^Loading/ })
      .first()
      .waitFor({ state: 'detached' })
  }

  /** The findings of axe-core, however small, with all of its rules or only those about the look of a page. */
  async axeIssues(rules: 'all' | 'look'): Promise<string[]> {
    await this.page.evaluate(AXE)
    const only = rules === 'look' ? `runOnly: ${JSON.stringify(LOOK_RULES)},` : ''
    const { violations } = await this.page.evaluate<{ violations: AxeIssue[] }>(
      `axe.run(document, { ${only} resultTypes: ['violations'] })`,
    )
    return violations.map(
      ({ id, help, nodes }) =>
        `${id}: ${help}\n    ${nodes.map(({ html }) => html.slice(0, 200)).join('\n    ')}`,
    )
  }

  /** The findings in light and dark and with both densities of rows, of one load of the page. */
  async axeIssuesInVariants(): Promise<string[]> {
    const issues = await this.axeIssues('all')
    for (const [colorScheme, density] of VARIANTS) {
      await this.page.emulateMedia({ colorScheme })
      await this.page.evaluate(`document.documentElement.dataset.density = '${density}'`)
      // Nothing but the look is different, and most of the time goes into the other rules.
      const found = await this.axeIssues('look')
      issues.push(...found.map((issue) => `${colorScheme}, ${density}: ${issue}`))
    }
    await this.page.emulateMedia({ colorScheme: 'light' })
    await this.page.evaluate("document.documentElement.dataset.density = 'comfortable'")
    return issues
  }

  /** The findings on a phone, where the navigation and the tables are others. */
  async axeIssuesOnPhone(): Promise<string[]> {
    const before = this.page.viewportSize() ?? { width: WIDTH, height: HEIGHT }
    await this.page.setViewportSize({ width: PHONE_WIDTH, height: HEIGHT })
    const issues = await this.axeIssues('all')
    await this.page.setViewportSize(before)
    return issues.map((issue) => `on a phone: ${issue}`)
  }

  /** Whether nothing sticks out of a narrow phone, so that there is no sideways scrolling. */
  async fitsPhone(): Promise<boolean> {
    const before = this.page.viewportSize() ?? { width: WIDTH, height: HEIGHT }
    await this.page.setViewportSize({ width: PHONE_WIDTH, height: HEIGHT })
    const width = await this.page.evaluate<number>(SETTLED_WIDTH)
    await this.page.setViewportSize(before)
    return width <= PHONE_WIDTH
  }

  /** Fails when anything happened that must not. */
  assertClean(): void {
    assert.deepEqual(this.faults, [])
  }
}

/** A wrong key is answered 401, which a browser writes to its console whatever the page does about it. */
function isExpected(text: string): boolean {
  return /the server responded with a status of 4\d\d/.test(text)
}

/** A tab of its own, with nothing stored. */
export async function newPage(
  stage: Stage,
  settings: {
    readonly colorScheme?: 'light' | 'dark'
    readonly width?: number
    readonly height?: number
  } = {},
): Promise<{ watched: WatchedPage; context: BrowserContext }> {
  const { colorScheme = 'light', width = WIDTH, height = HEIGHT } = settings
  const context = await stage.browser.newContext({
    colorScheme,
    viewport: { width, height },
    timezoneId: 'Europe/Vienna',
    locale: 'en-GB',
  })
  return { watched: new WatchedPage(await context.newPage(), stage), context }
}
