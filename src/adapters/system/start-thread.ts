import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

/**
 * Starts a worker thread from a module beside the caller. The one place that knows that the same module ends in `.ts`
 * in a checkout and in `.js` in the packed build.
 *
 * @param callerUrl `import.meta.url` of the caller
 * @param moduleName file name beside the caller, without its ending
 */
export function startThread(callerUrl: string, moduleName: string, workerData: unknown): Worker {
  const caller = fileURLToPath(callerUrl)
  const file = path.join(path.dirname(caller), `${moduleName}${path.extname(caller)}`)
  return new Worker(file, { workerData, name: moduleName })
}
