import assert from 'node:assert/strict'
import { call, FIRST_KEY } from '../support/call.ts'
import { spawnService } from '../support/process.ts'
import { eventually } from '../support/spans.ts'

/** The results of a series of crashes. */
export interface CrashReport {
  readonly rounds: number
  readonly acknowledged: number
  readonly lost: number
  /** Bulk requests of which some but not all items were stored. */
  readonly torn: number
  readonly slowestRestartMs: number
}

const WRITERS = 8
const BULK_ITEMS = 5
const ROUND_MS_MIN = 30
const ROUND_MS_MAX = 250

/**
 * Kills the service with SIGKILL at a random moment while several clients write, again and again on the same store,
 * and looks after each restart for every write that was acknowledged before.
 */
export async function runCrashRounds(dataDir: string, rounds: number): Promise<CrashReport> {
  const acknowledged = new Set<string>()
  const attemptedBulks: string[][] = []
  const report = { rounds: 0, acknowledged: 0, lost: 0, torn: 0, slowestRestartMs: 0 }
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now()
    const service = await spawnService({ ASSAY_DATA_DIR: dataDir, ASSAY_API_KEY: FIRST_KEY })
    const stored = await storedIds(service.url)
    report.slowestRestartMs = Math.max(report.slowestRestartMs, performance.now() - startedMs)
    report.lost += [...acknowledged].filter((id) => !stored.has(id)).length
    report.torn += attemptedBulks.filter((ids) => isTorn(ids, stored)).length
    attemptedBulks.length = 0

    const writers = Array.from({ length: WRITERS }, (_, writer) =>
      writeUntilItDies(service.url, `${round}.${writer}`, acknowledged, attemptedBulks),
    )
    const before = acknowledged.size
    await new Promise((resolve) =>
      setTimeout(resolve, ROUND_MS_MIN + Math.random() * (ROUND_MS_MAX - ROUND_MS_MIN)),
    )
    await eventually(async () => acknowledged.size > before, 'a write is acknowledged')
    await service.end('SIGKILL')
    await Promise.all(writers)
    report.rounds++
  }
  const last = await spawnService({ ASSAY_DATA_DIR: dataDir, ASSAY_API_KEY: FIRST_KEY })
  const stored = await storedIds(last.url)
  await last.end('SIGTERM')
  report.lost += [...acknowledged].filter((id) => !stored.has(id)).length
  report.torn += attemptedBulks.filter((ids) => isTorn(ids, stored)).length
  return { ...report, acknowledged: acknowledged.size }
}

async function storedIds(url: string): Promise<Set<string>> {
  const answer = await call(url, 'GET', '/v2/auto-monitor-setups')
  assert.equal(answer.status, 200)
  return new Set(answer.json.map((setup: { external_id: string }) => setup.external_id))
}

async function writeUntilItDies(
  url: string,
  name: string,
  acknowledged: Set<string>,
  attemptedBulks: string[][],
): Promise<void> {
  for (let at = 0; ; at++) {
    const ids = Array.from({ length: BULK_ITEMS }, (_, item) => `${name}.${at}.${item}`)
    const setups = ids.map((external_id) => ({ external_id, evaluators: ['char-count'] }))
    attemptedBulks.push(ids)
    try {
      const answer = await call(url, 'POST', '/v2/auto-monitor-setups/bulk', { body: { setups } })
      assert.equal(answer.status, 200)
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      return
    }
    for (const id of ids) acknowledged.add(id)
  }
}

function isTorn(ids: readonly string[], stored: ReadonlySet<string>): boolean {
  const count = ids.filter((id) => stored.has(id)).length
  return count !== 0 && count !== ids.length
}
