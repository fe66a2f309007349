import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { StartThread } from '../../ports/threads.ts'

/** The one place that knows that a module ends in `.ts` in a checkout and in `.js` in the packed build. */
export const startThread: StartThread = (callerUrl, moduleName, workerData, limits) => {
  const caller = fileURLToPath(callerUrl)
  const file = path.join(path.dirname(caller), `${moduleName}${path.extname(caller)}`)
  return new Worker(file, {
    workerData,
    name: moduleName,
    ...(limits ? { resourceLimits: { maxOldGenerationSizeMb: limits.heapMbMax } } : {}),
  })
}
