import { type FlatCall, LeafIndex } from './call-leaves.ts'
import type { CallPair } from './call-match.ts'
import { ALL_CALLS_MADE, explainMatch } from './explain-match.ts'
import { matchOrdered } from './ordered-match.ts'
import { areSameCalls } from './same-calls.ts'
import { CALLS_MAX } from './tool-call.ts'
import { matchUnordered } from './unordered-match.ts'

/** Sums of fractions are off by less than this; no honest score lies so close below a threshold. */
const ROUNDING_ERROR_MAX = 1e-9

interface TrajectoryInput {
  readonly executed_tool_calls: readonly unknown[]
  readonly expected_tool_calls: readonly unknown[]
}

interface TrajectoryConfig {
  readonly threshold: number
  readonly mismatch_sensitive: boolean
  readonly order_sensitive: boolean
  readonly input_params_sensitive: boolean
}

/** Compares what an agent did with what it should do; throws bad input for lists that are not lists of calls. */
export function compareTrajectories(input: TrajectoryInput, config: TrajectoryConfig) {
  if (isObviouslyPerfect(input, config)) return { success: true, score: 1, reason: ALL_CALLS_MADE }
  const index = new LeafIndex()
  const compareArguments = config.input_params_sensitive
  const expected = index.flatten(input.expected_tool_calls, 'expected_tool_calls', compareArguments)
  const executed = index.flatten(input.executed_tool_calls, 'executed_tool_calls', compareArguments)
  const pairs = config.order_sensitive ? matchOrdered(expected, executed) : matchUnordered(expected, executed)
  const score = scoreOf(expected, executed, pairs, config.mismatch_sensitive)
  const isExtraPunished = config.mismatch_sensitive
  return {
    success: score + ROUNDING_ERROR_MAX >= config.threshold,
    score,
    reason: explainMatch({ expected, executed, pairs, index, isExtraPunished }),
  }
}

function isObviouslyPerfect(input: TrajectoryInput, { order_sensitive }: TrajectoryConfig): boolean {
  const { expected_tool_calls: expected, executed_tool_calls: executed } = input
  return (
    expected.length > 0 && expected.length <= CALLS_MAX && areSameCalls(expected, executed, order_sensitive)
  )
}

/**
 * The similarity that was found, as a share of what could be found: of the expected calls, or of the longer list where
 * extra calls count as faults. A list of which nothing can be missing is complete.
 */
function scoreOf(
  expected: readonly FlatCall[],
  executed: readonly FlatCall[],
  pairs: readonly CallPair[],
  isExtraPunished: boolean,
): number {
  const possible = isExtraPunished ? Math.max(expected.length, executed.length) : expected.length
  if (possible === 0) return 1
  const found = pairs.reduce((sum, pair) => sum + pair.similarity, 0)
  return Math.min(1, found / possible)
}
