import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { executeEvaluator } from './kit/execute-evaluator.ts'
import { EVALUATORS } from './registry.gen.ts'

// The answer of an exact evaluator equals its example to the letter; the others have tests of their own kind.
for (const evaluator of EVALUATORS.filter(({ method, evaluate }) => method === 'exact' && evaluate)) {
  describe(evaluator.slug, () => {
    for (const { name, input, config, output } of evaluator.examples) {
      test(name, async () => assert.deepEqual(await executeEvaluator(evaluator, input, config), output))
    }
  })
}
