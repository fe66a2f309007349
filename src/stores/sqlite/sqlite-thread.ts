// The entry of a storage thread.

import { workerData } from 'node:worker_threads'
import { serveSqlite } from './serve-sqlite.ts'
import { storagePort } from './storage-port.ts'

serveSqlite(storagePort(), workerData)
