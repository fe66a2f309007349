import type { Worker } from 'node:worker_threads'

/** Starts a worker thread from a module beside the caller (its `import.meta.url`), named without its ending. */
export type StartThread = (
  callerUrl: string,
  moduleName: string,
  workerData: unknown,
  limits?: { readonly heapMbMax: number },
) => Worker
