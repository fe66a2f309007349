// npm run bench:dashboard [-- --evaluations 1000000 --runs 5]: how long it takes until the overview and a monitor can be used,
// on a store with a month of results, in a real browser.

import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { DATABASE_FILE } from '../src/adapters/sqlite/sqlite-storage.ts'
import { findBrowser, openBrowser } from '../tests/dashboard/open-browser.ts'
import { call, FIRST_KEY } from '../tests/support/call.ts'
import { createSetups, setupsCompleted, startBenchService } from './bench-service.ts'
import {
  fillHistory,
  HISTORY_MONITORS,
  historyRequest,
  historySetups,
  historySpans,
} from './dashboard-history.ts'
import { type MeasuredPage, measurePage } from './measure-dashboard.ts'
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
  const evaluations = await fill(wholeNumber('evaluations', values.evaluations, HISTORY_MONITORS))
  await measure(executable, evaluations)
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}

/** Binds the monitors on one span over HTTP, then gives the store its history while the service is away. */
async function fill(evaluations: number): Promise<number> {
  const service = await startBenchService(dataDir)
  const scope = await createSetups(service.url, historySetups())
  const first = historyRequest(historySpans(1, Date.now() - 1_000, Date.now()))
  const sent = await call(service.url, 'POST', '/v1/traces', {
    body: first,
    headers: { 'content-type': 'application/json' },
  })
  if (sent.status !== 200) throw new Error(`sending a span was answered ${sent.status}: ${sent.text}`)
  await setupsCompleted(service.url)
  await nothingWaits(service.url)
  await service.end('SIGTERM')
  const startMs = performance.now()
  return fillHistory(path.join(dataDir, DATABASE_FILE), scope, evaluations, (done) => {
    const seconds = Math.round((performance.now() - startMs) / 1_000)
    process.stderr.write(`\r${done.toLocaleString('en')} evaluations after ${seconds} s `)
  })
}

/** Work that is left over would be taken for that of the history. */
async function nothingWaits(url: string): Promise<void> {
  for (;;) {
    const { json } = await call(url, 'GET', '/v2/monitoring/status')
    if (json.lag_in_spans === 0) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function measure(browserFile: string, evaluations: number): Promise<void> {
  const service = await startBenchService(dataDir)
  const browser = await openBrowser(browserFile)
  process.stderr.write('\n')
  try {
    const { json } = await call(service.url, 'GET', '/v2/monitors?limit=1')
    const monitor = `/monitors/${json.monitors[0].id}`
    const chart = '[role=img][aria-label$="over time"] canvas'
    const pages: MeasuredPage[] = [
      { name: 'overview, 24 hours', address: '/', content: 'section[aria-label=Monitors] li' },
      { name: 'overview, 30 days', address: '/?range=30d', content: 'section[aria-label=Monitors] li' },
      { name: 'monitor, 24 hours', address: monitor, content: chart },
      { name: 'monitor, 30 days', address: `${monitor}?range=30d`, content: chart },
    ]
    describeRun([
      `${evaluations.toLocaleString('en')} evaluations of ${HISTORY_MONITORS} monitors over 30 days, SQLite, ${browser.version()} of Chromium;`,
      'milliseconds from the navigation until the content is there and the main thread is idle',
    ])
    const rows: Record<string, Record<string, number>> = {}
    for (const page of pages) {
      const { first, again, firstCpu } = await measurePage(
        browser,
        { url: service.url, key: FIRST_KEY },
        page,
        runs,
      )
      rows[page.name] = {
        'first visit, median': Math.round(median(first)),
        'first visit, worst': Math.round(Math.max(...first)),
        'computed by the page, median': Math.round(median(firstCpu)),
        'later visit, median': Math.round(median(again)),
        'later visit, worst': Math.round(Math.max(...again)),
      }
    }
    console.table(rows)
  } finally {
    await browser.close()
    await service.end('SIGTERM')
  }
}
