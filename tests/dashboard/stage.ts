import { existsSync } from 'node:fs'
import path from 'node:path'
import { after } from 'node:test'
import type { Browser } from 'playwright-core'
import { type Showcase, startShowcase } from '../../demo/showcase-service.ts'
import { DASHBOARD_DIR } from '../../src/http/dashboard/dashboard-files.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { findBrowser, openBrowser } from './open-browser.ts'

/** One browser and one service with data, for all tests of a file. */
export interface Stage {
  readonly browser: Browser
  readonly showcase: Showcase
}

/** Enough for every page to have something to show, and few enough to be scored in seconds. */
const TRACES = 120

/**
 * What the tests need, or why they cannot run. With CI_REQUIRES_BROWSER=1 the reason is an error instead: a machine that has
 * to test the dashboard must not pass because it cannot.
 */
export async function openStage(): Promise<
  { stage: Stage; skip: false } | { stage: undefined; skip: string }
> {
  const executable = findBrowser()
  const dashboardDir = process.env['TEST_DASHBOARD_DIR'] ?? DASHBOARD_DIR
  const lack =
    executable === undefined
      ? 'no Chromium was found; CHROME_PATH can name one'
      : existsSync(path.join(dashboardDir, 'index.html'))
        ? undefined
        : 'the dashboard is not built'
  if (lack !== undefined && process.env['CI_REQUIRES_BROWSER'] === '1')
    throw new Error(`The dashboard cannot be tested, and this run requires it: ${lack}`)
  if (lack !== undefined || executable === undefined) return { stage: undefined, skip: lack ?? '' }
  const dataDir = temporaryDirectory()
  const [browser, showcase] = await Promise.all([
    openBrowser(executable),
    startShowcase({ port: 0, dataDir, traces: TRACES, dashboardDir }),
  ])
  after(async () => {
    await browser.close()
    await showcase.close()
  })
  return { stage: { browser, showcase }, skip: false }
}
