// The entry of the thread of one dry run: batches come in and are counted, and at the end the result goes out.

import { parentPort, workerData } from 'node:worker_threads'
import { type DryRunBatch, DryRunCount, type DryRunPlan } from './dry-run-count.ts'

/** A call of the thread: look at a batch, or give the result. */
export type DryRunCall = DryRunBatch | 'finish'

const port = parentPort
if (!port) throw new Error('dry-run-thread runs only as a worker thread')
const count = new DryRunCount(workerData as DryRunPlan)

port.on('message', (call: DryRunCall) => {
  if (call !== 'finish') count.add(call)
  port.postMessage(call === 'finish' ? count.result() : 'counted')
})
