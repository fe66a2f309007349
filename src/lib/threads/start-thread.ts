import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

/** Starts a worker thread from a module beside the caller (its `import.meta.url`), named without its ending. */
export type StartThread = (
  callerUrl: string,
  moduleName: string,
  workerData: unknown,
  limits?: { readonly heapMbMax: number },
) => Worker

/**
 * The memory of a thread for short-lived objects. Left to itself it takes three times as much, which made the
 * service 120 MB larger with every thread busy and no faster.
 */
const YOUNG_MB_MAX = 48

/** The one place that knows that a module ends in `.ts` in a checkout and in `.js` in the packed build. */
export const startThread: StartThread = (callerUrl, moduleName, workerData, limits) => {
  const caller = fileURLToPath(callerUrl)
  const file = path.join(path.dirname(caller), `${moduleName}${path.extname(caller)}`)
  return new Worker(file, {
    workerData,
    name: moduleName,
    resourceLimits: {
      maxYoungGenerationSizeMb: YOUNG_MB_MAX,
      ...(limits ? { maxOldGenerationSizeMb: limits.heapMbMax } : {}),
    },
  })
}
