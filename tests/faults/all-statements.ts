import { MemoryStore } from '../simulation/memory-store.ts'
import { FAULT_KINDS, type FaultKind, runWithFault } from './statement-faults.ts'

/** The results of one kind of fault at many statements. */
export interface KindReport {
  readonly fault: string
  readonly runs: number
  readonly acknowledged: number
  readonly slowestRecoveryMs: number
}

/** A broken promise, with what it takes to see it again. */
export class FaultFound extends Error {
  override readonly name = 'FaultFound'

  constructor(kind: FaultKind, n: number, cause: unknown) {
    const what = cause instanceof Error ? cause.message : String(cause)
    super(`${what}\nagain: npm run test:faults -- --only '${kind.name}' --statement ${n}`, { cause })
  }
}

/** Tries each kind of fault at every statement of a run, or at every so many of them beginning with the first few. */
export async function failStatements(
  options: { readonly only?: string; readonly every?: number; readonly statement?: number },
  onReport: (report: KindReport) => void = () => {},
): Promise<void> {
  const { only, every = 1, statement } = options
  const store = new MemoryStore()
  const plain = await runWithFault(store)
  for (const [at, kind] of FAULT_KINDS.entries()) {
    if (only !== undefined && kind.name !== only) continue
    // Kinds begin at different places, so that few statements are left out by all.
    const first = statement ?? 1 + Math.floor((at * every) / FAULT_KINDS.length)
    const last = statement ?? plain.statements
    let report: KindReport = { fault: kind.name, runs: 0, acknowledged: 0, slowestRecoveryMs: 0 }
    for (let n = first; n <= last; n += every) {
      const { acknowledged, tookMs } = await runWithFault(store, kind, n).catch((error) => {
        throw new FaultFound(kind, n, error)
      })
      report = {
        fault: kind.name,
        runs: report.runs + 1,
        acknowledged: report.acknowledged + acknowledged,
        slowestRecoveryMs: Math.max(report.slowestRecoveryMs, tookMs - plain.tookMs),
      }
    }
    onReport(report)
  }
}
