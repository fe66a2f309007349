import { ApiError, ok } from '../../api/client.ts'
import type { Call, Run, Values } from './evaluator-call.ts'

interface Answer {
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}

let lastId = 0

/** Makes a call and says what came of it; a refusal is an outcome too. */
export async function makeRun(call: Call, send: () => Promise<Answer>): Promise<Run> {
  lastId += 1
  const begun = { id: lastId, call, at: new Date() }
  const from = performance.now()
  const answer = send()
  try {
    const output = (await ok(answer)) as Values
    const { headers } = (await answer).response
    const judge = headers.get('x-assay-judge')
    const judgeQuality = headers.get('x-assay-judge-quality')
    return {
      ...begun,
      durationMs: performance.now() - from,
      output,
      ...(judge === null ? {} : { judge }),
      ...(judgeQuality === null ? {} : { judgeQuality }),
    }
  } catch (error) {
    const { status, message } = error instanceof ApiError ? error : new ApiError(0, String(error))
    const fault = new ApiError(status, message.replace(/^invalid input: /, ''))
    return { ...begun, durationMs: performance.now() - from, error: fault }
  }
}
