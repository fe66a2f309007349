// The inside of an evaluator thread: one call at a time, and nothing kept between calls but compiled patterns and models.

import { parentPort, workerData } from 'node:worker_threads'
import { withEmbeddedJudge, withoutJudge } from '../../evaluators/embedded-judge.ts'
import type { AnyEvaluator } from '../../evaluators/kit/define-evaluator.ts'
import { executeBody } from '../../evaluators/kit/execute-evaluator.ts'
import { TaintedThread } from '../../evaluators/kit/tainted-thread.ts'
import { findWithOwnModels } from '../../evaluators/own-evaluators.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { EvaluatorThreadData, ThreadAnswer, ThreadCall } from './evaluator-pool.ts'

const port = parentPort
if (!port) throw new Error('evaluator-thread runs only as a worker thread')
const { ownModels }: EvaluatorThreadData = workerData
const find = findWithOwnModels(ownModels)

port.on('message', async (call: ThreadCall) => {
  port.postMessage(await answer(call))
})
port.postMessage('ready')

async function answer({ slug, body, judge }: ThreadCall): Promise<ThreadAnswer> {
  try {
    const evaluator = find(slug)
    if (!evaluator) throw new Error(`unknown evaluator ${slug}`)
    return { answer: await executeBody(judgedBy(judge, evaluator), body) }
  } catch (error) {
    // A class does not survive the way between threads; what makes the error public does.
    if (error instanceof PublicError) {
      const refusal = { kind: error.kind, message: error.message }
      return error instanceof TaintedThread ? { refusal, isLast: true } : { refusal }
    }
    return { fault: error instanceof Error ? error : new Error(String(error)) }
  }
}

function judgedBy(judge: ThreadCall['judge'], evaluator: AnyEvaluator): AnyEvaluator {
  if (judge === undefined) return evaluator
  return judge === 'embedded' ? withEmbeddedJudge(evaluator, 'answers') : withoutJudge(evaluator)
}
