import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startPostgres } from '../support/postgres-server.ts'
import { openEvaluatorFuzz } from './evaluators/fuzz-evaluators.ts'
import { type FuzzKind, type FuzzKindName, type FuzzReport, runFuzzKind } from './fuzz-kind.ts'
import { openOtlpFuzz } from './otlp/fuzz-otlp.ts'
import { openRouteFuzz } from './routes/fuzz-routes.ts'
import { openSocketFuzz } from './sockets/fuzz-sockets.ts'

/** How much of all inputs each kind gets: decoding in this process is fast, a connection is not. */
const SHARES: Readonly<Record<FuzzKindName, number>> = {
  routes: 0.175,
  otlp: 0.3,
  sockets: 0.075,
  evaluators: 0.45,
}

/** How much a run tries, and on which store. */
export interface FuzzOptions {
  readonly seed: number
  /** Of all kinds together; a kind gets its share of them. */
  readonly inputs: number
  readonly store: 'sqlite' | 'postgres'
  /** How long a kind may take; it then ends with what it has tried. Absent: as long as it takes. */
  readonly minutesMax?: number
  readonly onProgress?: (done: number) => void
}

/** Attacks one kind, with a service and a store of its own. */
export function runFuzz(name: FuzzKindName, options: FuzzOptions): Promise<FuzzReport> {
  const { seed, inputs, store, minutesMax, onProgress } = options
  return withStore(store, async (env) => {
    const kind = await openFuzzKind(name, env)
    try {
      const share = Math.round(inputs * SHARES[name])
      return await runFuzzKind(kind, {
        seed,
        inputs: share,
        ...(minutesMax === undefined ? {} : { signal: AbortSignal.timeout(minutesMax * 60_000) }),
        ...(onProgress ? { onProgress } : {}),
      })
    } finally {
      await kind.close()
    }
  })
}

/** Opens one kind on a store that the settings name. */
export async function openFuzzKind(
  name: FuzzKindName,
  storeEnv: Readonly<Record<string, string>>,
): Promise<FuzzKind> {
  switch (name) {
    case 'routes':
      return openRouteFuzz(storeEnv) as Promise<FuzzKind>
    case 'otlp':
      return openOtlpFuzz(storeEnv) as Promise<FuzzKind>
    case 'sockets':
      return openSocketFuzz(storeEnv) as Promise<FuzzKind>
    case 'evaluators':
      return openEvaluatorFuzz() as FuzzKind
  }
}

/** Runs something on an empty store of its own that goes afterwards. */
async function withStore<T>(
  store: FuzzOptions['store'],
  run: (env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'assay-fuzz-'))
  const removeData = () => rmSync(dataDir, { recursive: true, force: true })
  process.once('exit', removeData)
  const server = store === 'postgres' ? await startPostgres({ isDurable: false }) : undefined
  try {
    return await run({ ASSAY_DATA_DIR: dataDir, ...(server ? { ASSAY_DATABASE_URL: server.url } : {}) })
  } finally {
    await server?.stop()
    removeData()
    process.off('exit', removeData)
  }
}
