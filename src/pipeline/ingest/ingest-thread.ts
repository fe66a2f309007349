// The entry of the thread that reads spans.

import { parentPort } from 'node:worker_threads'
import { serveIngest } from './serve-ingest.ts'

if (!parentPort) throw new Error('ingest-thread runs only as a worker thread')
serveIngest(parentPort)
