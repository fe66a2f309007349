import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

// For what is outside of this folder, where the package cannot be found.
export type { Browser, BrowserContext, Page } from 'playwright-core'

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Only the page makes requests: the browser's own traffic is turned off. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Where a Chromium is: CHROME_PATH, or the usual places; undefined when there is none. */
export function findBrowser(): string | undefined {
  return [process.env['CHROME_PATH'], ...PLACES].find((file) => file !== undefined && existsSync(file))
}

/** Generous, because a busy machine is no reason to fail. */
const START_MS_MAX = 300_000

/** Starts the browser that was found. It ends with this process, because it reads its orders from a pipe. */
export function openBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, headless: true, args: ARGUMENTS, timeout: START_MS_MAX })
}
