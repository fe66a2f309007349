import vm from 'node:vm'
import { RegexTimeout } from './safe-regex-errors.ts'

// V8 checks for interrupts while it matches, so the watchdog of a script also ends a regular expression that runs away.
// Measured on Node.js 24: /^(?=a)(a+)+$/ ends within 10 ms of its limit, on the main thread and in workers.
// It costs a thread per call, 0.1 to 0.4 ms.
const script = new vm.Script('job()')
let sandbox: vm.Context | undefined

/** Runs the job on this thread, but no longer than the limit: then it is cut off and RegexTimeout thrown. */
export function runWithLimit(job: () => boolean, limitMs: number): boolean {
  sandbox ??= vm.createContext(Object.create(null))
  sandbox['job'] = job
  try {
    return script.runInContext(sandbox, { timeout: limitMs })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      throw new RegexTimeout(`took longer than ${limitMs} ms on this text`)
    }
    // V8's regular expressions report a full backtracking stack as an overflow of the call stack.
    if (error instanceof Error && error.name === 'RangeError') {
      throw new RegexTimeout('needs too much memory on this text')
    }
    throw error
  } finally {
    sandbox['job'] = undefined
  }
}
