// How long it takes until the pages with the most behind them can be used.

import path from 'node:path'
import { DATABASE_FILE } from '../src/stores/sqlite/sqlite-storage.ts'
import type { Browser } from '../tests/dashboard/open-browser.ts'
import { call, FIRST_KEY } from '../tests/support/call.ts'
import { createSetups, setupsCompleted, startBenchService } from './bench-service.ts'
import { fillHistory, historyRequest, historySetups, historySpans } from './dashboard-history.ts'
import { type MeasuredPage, measurePage, type PageTimes } from './measure-page.ts'

/** Binds the monitors on one span over HTTP, then gives the store its history while the service is away. */
export async function fillStore(
  dataDir: string,
  evaluations: number,
  onProgress: (done: number) => void = () => {},
): Promise<number> {
  const service = await startBenchService(dataDir)
  const tenant = await createSetups(service.url, historySetups())
  const first = historyRequest(historySpans(1, Date.now() - 1_000, Date.now()))
  const sent = await call(service.url, 'POST', '/v1/traces', {
    body: first,
    headers: { 'content-type': 'application/json' },
  })
  if (sent.status !== 200) throw new Error(`sending a span was answered ${sent.status}: ${sent.text}`)
  await setupsCompleted(service.url)
  await nothingWaits(service.url)
  await service.end('SIGTERM')
  return fillHistory(path.join(dataDir, DATABASE_FILE), tenant, evaluations, onProgress)
}

/** Work that is left over would be taken for that of the history. */
async function nothingWaits(url: string): Promise<void> {
  for (;;) {
    const { json } = await call(url, 'GET', '/v2/monitoring/status')
    if (json.lag_in_spans === 0) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Visits the home page, the inbox and a monitor, some for a day and for a month, on a store that was filled. */
export async function measureDashboard(
  browser: Browser,
  dataDir: string,
  runs: number,
): Promise<(PageTimes & { readonly name: string })[]> {
  const service = await startBenchService(dataDir)
  try {
    const { json } = await call(service.url, 'GET', '/v2/monitors?limit=1')
    const measured = []
    for (const page of measuredPages(json.monitors[0].id)) {
      const times = await measurePage(browser, { url: service.url, key: FIRST_KEY }, page, runs)
      measured.push({ name: page.name, ...times })
    }
    return measured
  } finally {
    await service.end('SIGTERM')
  }
}

function measuredPages(monitorId: string): MeasuredPage[] {
  const monitor = `/monitors/${monitorId}`
  const cards = 'section[aria-label=Applications] li'
  const chart = '[aria-label$="over time"] canvas'
  return [
    { name: 'home, 24 hours', address: '/', content: cards },
    { name: 'home, 30 days', address: '/?range=30d', content: cards },
    { name: 'inbox', address: '/inbox', content: '.inbox-row' },
    { name: 'inbox, worst first', address: '/inbox?order=worst', content: '.inbox-row' },
    { name: 'monitor, 24 hours', address: monitor, content: chart },
    { name: 'monitor, 30 days', address: `${monitor}?range=30d`, content: chart },
  ]
}
