// The entry of the judging thread.

import { parentPort, workerData } from 'node:worker_threads'
import { findBuiltIn } from '../../evaluators/catalogue.ts'
import { customEvaluatorOf } from '../../evaluators/kit/custom-evaluator.ts'
import { serveJudging } from './serve-judging.ts'

if (!parentPort) throw new Error('judging-thread runs only as a worker thread')
serveJudging(parentPort, workerData, (source) =>
  'custom' in source ? customEvaluatorOf(source.custom) : findBuiltIn(source.slug),
)
