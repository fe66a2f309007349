// The inside of a thread that evaluates hostile texts, one call at a time, and tells how much processor time each took.

import { parentPort } from 'node:worker_threads'
import { NoVerdict } from '../../../src/domain/no-verdict.ts'
import { findBuiltIn } from '../../../src/evaluators/catalogue.ts'
import { withEmbeddedJudge, withoutJudge } from '../../../src/evaluators/embedded-judge.ts'
import type { AnyEvaluator } from '../../../src/evaluators/kit/define-evaluator.ts'
import { executeBody } from '../../../src/evaluators/kit/execute-evaluator.ts'
import { TaintedThread } from '../../../src/evaluators/kit/tainted-thread.ts'
import { PublicError } from '../../../src/lib/public-error.ts'
import type { Evaluated, EvaluatorCall } from './evaluator-thread.ts'

const port = parentPort
if (!port) throw new Error('evaluator-worker runs only as a worker thread')

port.on('message', async ({ slug, body }: EvaluatorCall) => {
  const evaluator = judgedInProcess(findBuiltIn(slug))
  const bytes = Buffer.from(body)
  const before = process.threadCpuUsage()
  const outcome = await run(evaluator, bytes)
  const { user, system } = process.threadCpuUsage(before)
  port.postMessage({ ...outcome, cpuMs: (user + system) / 1_000 } satisfies Evaluated)
})

async function run(evaluator: AnyEvaluator, body: Uint8Array): Promise<Omit<Evaluated, 'cpuMs'>> {
  try {
    await executeBody(evaluator, body)
    return { outcome: 'answered' }
  } catch (error) {
    if (error instanceof PublicError || error instanceof NoVerdict)
      return { outcome: 'refused', isLast: error instanceof TaintedThread }
    return { outcome: 'failed', error: error instanceof Error ? `${error.stack}` : String(error) }
  }
}

function judgedInProcess(evaluator: AnyEvaluator | undefined): AnyEvaluator {
  if (!evaluator) throw new Error('unknown evaluator')
  return evaluator.judging?.embedded ? withEmbeddedJudge(evaluator, 'answers') : withoutJudge(evaluator)
}
