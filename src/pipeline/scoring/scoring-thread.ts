// The entry of a scoring thread.

import { parentPort, workerData } from 'node:worker_threads'
import { findBuiltIn } from '../../evaluators/catalogue.ts'
import { serveScoring } from './serve-scoring.ts'

if (!parentPort) throw new Error('scoring-thread runs only as a worker thread')
serveScoring(parentPort, workerData, findBuiltIn)
