// The entry of the judging thread.

import { parentPort, workerData } from 'node:worker_threads'
import { customEvaluatorOf } from '../../evaluators/kit/custom-evaluator.ts'
import { findWithOwnModels } from '../../evaluators/own-evaluators.ts'
import type { JudgingThreadData } from './judging-message.ts'
import { serveJudging } from './serve-judging.ts'

if (!parentPort) throw new Error('judging-thread runs only as a worker thread')
const data: JudgingThreadData = workerData
const find = findWithOwnModels(data.ownModels)
serveJudging(parentPort, data, (source) =>
  'custom' in source ? customEvaluatorOf(source.custom) : find(source.slug),
)
