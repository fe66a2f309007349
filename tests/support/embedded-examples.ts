import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnyEvaluator } from '../../src/evaluators/kit/define-evaluator.ts'
import { executeEvaluator } from '../../src/evaluators/kit/execute-evaluator.ts'

/** One test for each example of a judged evaluator: its embedded judge answers what the catalogue shows. */
export function testEmbeddedExamples(evaluator: AnyEvaluator): void {
  for (const { name, input, config, output } of evaluator.examples) {
    test(`the embedded judge ${name}`, async () => {
      const evaluate = evaluator.judging?.embedded
      assert.ok(evaluate)
      assert.deepEqual(await executeEvaluator({ ...evaluator, evaluate }, input, config), output)
    })
  }
}
