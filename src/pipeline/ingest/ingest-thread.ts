// The entry of a thread that reads spans.

import { parentPort, workerData } from 'node:worker_threads'
import { serveIngest } from './serve-ingest.ts'

if (!parentPort) throw new Error('ingest-thread runs only as a worker thread')
serveIngest(parentPort, workerData)
