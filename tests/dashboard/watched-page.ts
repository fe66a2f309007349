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

interface AxeIssue {
  readonly id: string
  readonly impact: string | null
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

  /** The serious and critical findings of axe-core, with all of its rules or only those about colours. */
  async axeIssues(rules: 'all' | 'colours'): Promise<string[]> {
    await this.page.evaluate(AXE)
    const only = rules === 'colours' ? "runOnly: ['color-contrast', 'link-in-text-block']," : ''
    const { violations } = await this.page.evaluate<{ violations: AxeIssue[] }>(
      `axe.run(document, { ${only} resultTypes: ['violations'] })`,
    )
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, help, nodes }) =>
          `${id}: ${help}\n    ${nodes.map(({ html }) => html.slice(0, 200)).join('\n    ')}`,
      )
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
