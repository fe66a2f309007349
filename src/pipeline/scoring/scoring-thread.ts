// The entry of a scoring thread.

import { parentPort, workerData } from 'node:worker_threads'
import { withEmbeddedJudge } from '../../evaluators/embedded-judge.ts'
import { findWithOwnModels } from '../../evaluators/own-evaluators.ts'
import { serveScoring, type ThreadData } from './serve-scoring.ts'

if (!parentPort) throw new Error('scoring-thread runs only as a worker thread')
const data: ThreadData = workerData
const find = findWithOwnModels(data.ownModels)
serveScoring(parentPort, data, ({ evaluatorId }) => {
  const evaluator = find(evaluatorId)
  return evaluator && withEmbeddedJudge(evaluator, data.embeddedUse ?? 'scores when good')
})
