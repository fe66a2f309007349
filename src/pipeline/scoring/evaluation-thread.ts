// The entry of a thread that evaluates.

import { parentPort, workerData } from 'node:worker_threads'
import { customEvaluatorOf } from '../../evaluators/kit/custom-evaluator.ts'
import { findWithOwnModels } from '../../evaluators/own-evaluators.ts'
import { serveEvaluations, type ThreadData } from './serve-evaluations.ts'

if (!parentPort) throw new Error('evaluation-thread runs only as a worker thread')
const data: ThreadData = workerData
const find = findWithOwnModels(data.ownModels)
serveEvaluations(parentPort, data, (source) =>
  'custom' in source ? customEvaluatorOf(source.custom) : find(source.slug),
)
