// The entry of a scoring thread.

import { parentPort, workerData } from 'node:worker_threads'
import { findWithOwnModels } from '../../evaluators/own-evaluators.ts'
import { serveScoring, type ThreadData } from './serve-scoring.ts'

if (!parentPort) throw new Error('scoring-thread runs only as a worker thread')
const data: ThreadData = workerData
serveScoring(parentPort, data, findWithOwnModels(data.ownModels))
