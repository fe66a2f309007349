// The entry of a thread that evaluates and has the trap among its evaluators.

import { parentPort, workerData } from 'node:worker_threads'
import { serveEvaluations } from '../../src/pipeline/scoring/serve-evaluations.ts'
import { findWithTrap } from './trap-evaluator.ts'

if (!parentPort) throw new Error('trap-evaluation-thread runs only as a worker thread')
serveEvaluations(parentPort, workerData, (source) =>
  'custom' in source ? undefined : findWithTrap({ evaluatorId: source.slug }),
)
