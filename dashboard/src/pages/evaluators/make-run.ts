import { ApiError } from '../../api/client.ts'
import type { Call, Run, Tried, Values } from './evaluator-call.ts'

let lastId = 0

/** Makes a call and says what came of it; a refusal is an outcome too. */
export async function makeRun(call: Call, send: () => Promise<Tried>): Promise<Run> {
  lastId += 1
  const begun = { id: lastId, call, at: new Date() }
  const from = performance.now()
  try {
    const tried = await send()
    return { ...begun, durationMs: performance.now() - from, output: tried.output as Values, tried }
  } catch (error) {
    const { status, message } = error instanceof ApiError ? error : new ApiError(0, String(error))
    const fault = new ApiError(status, message.replace(/^invalid input: /, ''))
    return { ...begun, durationMs: performance.now() - from, error: fault }
  }
}
