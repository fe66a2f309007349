// npm run bench:dashboard [-- --evaluations 1000000 --runs 5]: how long it takes until the overview and a monitor can be used,
// on a store with a month of results, in a real browser.

import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { findBrowser, openBrowser } from '../tests/dashboard/open-browser.ts'
import { HISTORY_MONITORS } from './dashboard-history.ts'
import { fillStore, measureDashboard } from './measure-dashboard.ts'
import { describeRun, median, wholeNumber } from './run-report.ts'

const { values } = parseArgs({
  options: {
    evaluations: { type: 'string', default: '1000000' },
    runs: { type: 'string', default: '5' },
    dir: { type: 'string', default: os.tmpdir() },
  },
})
const runs = wholeNumber('runs', values.runs, 1)
const executable = findBrowser()
if (executable === undefined) throw new Error('no Chromium was found; CHROME_PATH can name one')
const dataDir = mkdtempSync(path.join(values.dir, 'assay-bench-dashboard-'))
try {
  const evaluations = await fillStore(
    dataDir,
    wholeNumber('evaluations', values.evaluations, HISTORY_MONITORS),
    (done) => process.stderr.write(`\r${done.toLocaleString('en')} evaluations `),
  )
  process.stderr.write('\n')
  await measure(executable, evaluations)
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}

async function measure(browserFile: string, evaluations: number): Promise<void> {
  const browser = await openBrowser(browserFile)
  try {
    describeRun([
      `${evaluations.toLocaleString('en')} evaluations of ${HISTORY_MONITORS} monitors over 30 days, SQLite, ${browser.version()} of Chromium;`,
      'milliseconds from the navigation until the content is there and the main thread is idle',
    ])
    const rows = (await measureDashboard(browser, dataDir, runs)).map(({ name, first, again, firstCpu }) => [
      name,
      {
        'first visit, median': Math.round(median(first)),
        'first visit, worst': Math.round(Math.max(...first)),
        'computed by the page, median': Math.round(median(firstCpu)),
        'later visit, median': Math.round(median(again)),
        'later visit, worst': Math.round(Math.max(...again)),
      },
    ])
    console.table(Object.fromEntries(rows))
  } finally {
    await browser.close()
  }
}
