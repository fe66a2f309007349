import { existsSync } from 'node:fs'
import path from 'node:path'
import { after } from 'node:test'
import type { Browser } from 'playwright-core'
import { type Showcase, startShowcase } from '../../demo/showcase-service.ts'
import { DASHBOARD_DIR } from '../../src/http/dashboard/dashboard-files.ts'
import { PATIENT_SETTINGS } from '../support/process.ts'
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
 * The browser, or why nothing can be tested with it. With CI_REQUIRES_BROWSER=1 the reason is an error instead: a machine that
 * has to test the dashboard must not pass because it cannot.
 */
export function findStageBrowser(
  dashboardDir = DASHBOARD_DIR,
): { executable: string; skip: false } | { executable: undefined; skip: string } {
  const executable = findBrowser()
  const isBuilt = existsSync(path.join(dashboardDir, 'index.html'))
  if (executable !== undefined && isBuilt) return { executable, skip: false }
  const skip =
    executable === undefined
      ? 'no Chromium was found; CHROME_PATH can name one'
      : 'the dashboard is not built'
  if (process.env['CI_REQUIRES_BROWSER'] === '1')
    throw new Error(`The dashboard cannot be tested, and this run requires it: ${skip}`)
  return { executable: undefined, skip }
}

/** The stage that the tests need, or the reason why they cannot run. */
export async function openStage(): Promise<
  { stage: Stage; skip: false } | { stage: undefined; skip: string }
> {
  const dashboardDir = process.env['TEST_DASHBOARD_DIR'] ?? DASHBOARD_DIR
  const { executable, skip } = findStageBrowser(dashboardDir)
  if (skip !== false) return { stage: undefined, skip }
  const dataDir = temporaryDirectory()
  const [browser, showcase] = await Promise.all([
    openBrowser(executable),
    startShowcase({ port: 0, dataDir, traces: TRACES, dashboardDir, settings: PATIENT_SETTINGS }),
  ])
  after(async () => {
    await browser.close()
    await showcase.close()
  })
  return { stage: { browser, showcase }, skip: false }
}
