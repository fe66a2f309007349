import vm from 'node:vm'
import { threadProcessorMs } from '../thread-processor-time.ts'
import { RegexTimeout } from './regex-errors.ts'

// V8 checks for interrupts while it matches, so the watchdog of a script also ends a regular expression that runs away.
// Measured on Node.js 24 and 26: /^(?=a)(a+)+$/ ends 1 to 3 ms after its limit on a quiet machine, in workers too.
// It costs a thread per call, 0.1 to 0.4 ms.
const script = new vm.Script('job()')
let sandbox: vm.Context | undefined

/**
 * How often a job runs again that was cut off without having had the processor for half of its time. Each run may take twice
 * as long on the wall as the one before, so on a machine with 30 times the work that it can do a harmless pattern still ends.
 */
const STALLED_RUNS_MAX = 6

/** Runs the job on this thread, but no longer than the limit: then it is cut off and RegexTimeout thrown. */
export function runWithLimit(job: () => boolean, limitMs: number): boolean {
  for (let stalledRuns = 0; ; stalledRuns++) {
    const beforeMs = threadProcessorMs()
    const found = runOnce(job, limitMs * 2 ** stalledRuns)
    if (found !== 'cut off') return found
    // The watchdog counts the time on the wall. On a crowded machine a harmless pattern may just have waited its turn.
    const hasStalled = threadProcessorMs() - beforeMs < limitMs / 2
    if (!hasStalled || stalledRuns === STALLED_RUNS_MAX) {
      throw new RegexTimeout(`took longer than ${limitMs} ms on this text`)
    }
  }
}

function runOnce(job: () => boolean, limitMs: number): boolean | 'cut off' {
  sandbox ??= vm.createContext(Object.create(null))
  sandbox['job'] = job
  try {
    return script.runInContext(sandbox, { timeout: limitMs })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'cut off'
    // V8's regular expressions report a full backtracking stack as an overflow of the call stack.
    if (error instanceof Error && error.name === 'RangeError') {
      throw new RegexTimeout('needs too much memory on this text')
    }
    throw error
  } finally {
    sandbox['job'] = undefined
  }
}
