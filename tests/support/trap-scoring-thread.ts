// The entry of a scoring thread that has the trap among its evaluators.

import { parentPort, workerData } from 'node:worker_threads'
import { serveScoring } from '../../src/pipeline/scoring/serve-scoring.ts'
import { findWithTrap } from './trap-evaluator.ts'

if (!parentPort) throw new Error('trap-scoring-thread runs only as a worker thread')
serveScoring(parentPort, workerData, findWithTrap)
