// The entry of a judging thread whose only evaluator is the judged trap.

import { parentPort, workerData } from 'node:worker_threads'
import { serveJudging } from '../../src/pipeline/judging/serve-judging.ts'
import { findJudgedTrap } from './trap-judged-evaluator.ts'

if (!parentPort) throw new Error('trap-judging-thread runs only as a worker thread')
serveJudging(parentPort, workerData, findJudgedTrap)
