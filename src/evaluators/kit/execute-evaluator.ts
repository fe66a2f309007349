import { parseStrictObject } from '../../lib/strict-json.ts'
import type { AnyEvaluator } from './define-evaluator.ts'
import { parseInput } from './parse-input.ts'

/** The answer of an evaluator: its output fields, nothing around them. */
export type EvaluatorAnswer = Record<string, unknown>

/**
 * Checks a call, runs it and checks the answer. Bad values of the client are `invalid input` errors that name the field;
 * an answer that does not fit the evaluator's own output schema (a NaN, a missing field) is a bug and never leaves.
 */
export async function executeEvaluator(
  evaluator: AnyEvaluator,
  input: unknown,
  config: unknown,
): Promise<EvaluatorAnswer> {
  const { evaluate } = evaluator
  if (!evaluate) throw new Error(`${evaluator.slug} cannot be run without a judge`)
  const call = {
    input: parseInput(evaluator.input, input, 'input'),
    config: parseInput(evaluator.config, config ?? {}, 'config'),
  }
  return evaluator.output.parse(await evaluate(call))
}

/** The same for the body of an execute request: JSON text of `{input, config?}`. */
export async function executeBody(evaluator: AnyEvaluator, body: Uint8Array): Promise<EvaluatorAnswer> {
  const { input, config } = parseStrictObject(body)
  return executeEvaluator(evaluator, input, config)
}
