import type { Browser, BrowserContext } from '../tests/dashboard/open-browser.ts'

/** A page of the dashboard and how one sees that what it is for is there. */
export interface MeasuredPage {
  readonly name: string
  readonly address: string
  /** A selector of what is shown last. */
  readonly content: string
}

/** Milliseconds from the beginning of the navigation, one for each run. */
export interface PageTimes {
  /** With an empty cache: every file of the page comes over the wire and is compiled. */
  readonly first: readonly number[]
  /** The files are in the browser's cache; the data is asked for again. */
  readonly again: readonly number[]
  /**
   * The CPU time of the page's main thread on first visits; unlike the elapsed times, it is the same on a busy machine.
   */
  readonly firstCpu: readonly number[]
}

interface Visit {
  readonly interactiveMs: number
  readonly cpuMs: number
}

const PATIENCE_MS = 60_000

/** Opens a page so many times, each in a browser that has seen nothing, and then once more in the same one. */
export async function measurePage(
  browser: Browser,
  { url, key }: { readonly url: string; readonly key: string },
  page: MeasuredPage,
  runs: number,
): Promise<PageTimes> {
  const times = { first: [] as number[], again: [] as number[], firstCpu: [] as number[] }
  for (let run = 0; run < runs; run++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    await context.addInitScript(`sessionStorage.setItem('assay.api-key', ${JSON.stringify(key)})`)
    await context.addInitScript(watchScript(page.content))
    const first = await visit(context, url + page.address)
    times.first.push(first.interactiveMs)
    times.firstCpu.push(first.cpuMs)
    times.again.push((await visit(context, url + page.address)).interactiveMs)
    await context.close()
  }
  return times
}

async function visit(context: BrowserContext, address: string): Promise<Visit> {
  const page = await context.newPage()
  const devTools = await context.newCDPSession(page)
  await devTools.send('Performance.enable', { timeDomain: 'threadTicks' })
  page.setDefaultTimeout(PATIENCE_MS)
  await page.goto(address, { waitUntil: 'commit' })
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const ms = await page.evaluate<number | null>('window.interactiveAtMs ?? null').catch(() => null)
    if (ms !== null) {
      const { metrics } = await devTools.send('Performance.getMetrics')
      await page.close()
      const seconds = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
      return { interactiveMs: ms, cpuMs: seconds * 1_000 }
    }
    if (Date.now() > deadline) throw new Error(`${address} did not become interactive`)
    await page.waitForTimeout(20)
  }
}

/** Looks at every frame whether the content is there and nothing is being loaded; then waits until the main thread is idle. */
function watchScript(content: string): string {
  return `
    const look = () => {
      const isThere = document.querySelector(${JSON.stringify(content)}) !== null
      const isLoading = document.querySelector('[role=status][aria-label^=Loading]') !== null
      if (!isThere || isLoading) return requestAnimationFrame(look)
      requestIdleCallback(() => { window.interactiveAtMs = performance.now() })
    }
    requestAnimationFrame(look)`
}
