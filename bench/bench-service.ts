// The service as the benchmarks use it: a process of its own, as it is started for real, on a store in a given directory.

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { EnvironmentTenant } from '../src/domain/tenant.ts'
import { DATABASE_FILE } from '../src/stores/sqlite/sqlite-storage.ts'
import { call, FIRST_KEY } from '../tests/support/call.ts'
import { type ServiceProcess, spawnService } from '../tests/support/process.ts'
import type { SpanPlace, SpanRequest } from './span-workload.ts'

const root = path.dirname(import.meta.dirname)
const WAIT_MS_MAX = 600_000

/** Row counts that the benchmarks read from the store. */
export interface StoreCounts {
  readonly spans: number
  readonly lastBatch: number
  readonly evaluations: number
}

/** Starts the service; with `profileDir` it leaves a CPU profile of each of its threads there when it ends. */
export async function startBenchService(dataDir: string, profileDir?: string): Promise<ServiceProcess> {
  const profiling = profileDir ? ['--cpu-prof', `--cpu-prof-dir=${path.resolve(profileDir)}`] : []
  const env = {
    ASSAY_DATA_DIR: dataDir,
    ASSAY_API_KEY: FIRST_KEY,
    ASSAY_OTLP_GRPC_PORT: '0',
    // As npm start does; without it every thread keeps in memory what strips types.
    NODE_COMPILE_CACHE: path.join(root, 'node_modules/.cache/assay-compile'),
  }
  const command = [process.execPath, ...profiling, path.join(root, 'scripts/assay.ts'), 'start']
  return spawnService(env, command)
}

/** Creates setups and tells to whom they belong. */
export async function createSetups(url: string, setups: readonly object[]): Promise<EnvironmentTenant> {
  const answer = await call(url, 'POST', '/v2/auto-monitor-setups/bulk', { body: { setups } })
  if (answer.status !== 200) throw new Error(`creating setups was answered ${answer.status}: ${answer.text}`)
  const { org_id: orgId, project_id: projectId, env_project_id: envProjectId } = answer.json.setups[0]
  return { orgId, projectId, envProjectId }
}

/** Waits until every setup has its monitors. */
export async function setupsCompleted(url: string): Promise<void> {
  await until('every setup is completed', async () => {
    const { json } = await call(url, 'GET', '/v2/auto-monitor-setups')
    return json.every(({ status }: { status: string }) => status === 'completed')
  })
}

/** Looks into a store beside the service that writes to it. */
export class StoreView {
  readonly #db: DatabaseSync

  constructor(dataDir: string) {
    this.#db = new DatabaseSync(path.join(dataDir, DATABASE_FILE), { readOnly: true, timeout: 5_000 })
  }

  /** Spans and evaluations are counted in full, which takes seconds on a large store. */
  count(): StoreCounts {
    return this.#get<StoreCounts>(
      `SELECT (SELECT count(*) FROM spans) AS spans, (SELECT max(id) FROM span_batches) AS lastBatch,
         (SELECT count(*) FROM evaluations) AS evaluations`,
    )
  }

  /** Units that wait for their score. */
  openUnits(): number {
    return this.#get<{ units: number }>('SELECT total(unit_count) AS units FROM work WHERE state < 2').units
  }

  /** How many units the batches after one gave to the monitors. */
  unitsAfter(batch: number): number {
    return this.#get<{ units: number }>(
      'SELECT total(unit_count) AS units FROM work WHERE batch_id > ?',
      batch,
    ).units
  }

  /** How many of the spans are not there, each looked for by its key. */
  countMissing(requests: readonly SpanRequest[]): number {
    const find = this.#db.prepare(
      `SELECT 1 FROM spans WHERE project_number IN (SELECT number FROM projects) AND second = ? AND trace_id = ?
         AND span_id = ?`,
    )
    const isMissing = ({ traceId, spanId, startMs }: SpanPlace) =>
      find.get(Math.floor(startMs / 1_000), traceId, spanId) === undefined
    return requests.reduce((missing, { spans }) => missing + spans.filter(isMissing).length, 0)
  }

  bytes(): number {
    return this.#get<{ bytes: number }>(
      'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
    ).bytes
  }

  close(): void {
    this.#db.close()
  }

  #get<T>(sql: string, ...values: number[]): T {
    return this.#db.prepare(sql).get(...values) as T
  }
}

/** Resident memory of a process in bytes, now and at its highest; undefined where the system does not tell. */
export function residentMemory(pid: number): { now: number; peak: number } | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const bytes = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1_024
    return { now: bytes('VmRSS'), peak: bytes('VmHWM') }
  } catch {
    return undefined
  }
}

/** CPU time that a process has used so far, in milliseconds; undefined where the system does not tell. */
export function cpuMs(pid: number): number | undefined {
  try {
    // Fields 14 and 15 behind the name, which may hold anything but ends with the last bracket; in hundredths of a second.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return undefined
  }
}

/** Asks until the answer is yes; fails after ten minutes, because a benchmark must not hang. */
export async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  const endMs = performance.now() + WAIT_MS_MAX
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`waited ${WAIT_MS_MAX / 1_000} s in vain until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
