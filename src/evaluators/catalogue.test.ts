import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { builtInSummary, findBuiltIn } from './catalogue.ts'
import { EVALUATORS } from './registry.gen.ts'

test('there are 37 built-in evaluators, each findable by its slug', () => {
  assert.equal(EVALUATORS.length, 37)
  for (const evaluator of EVALUATORS) assert.equal(findBuiltIn(evaluator.slug), evaluator)
  assert.equal(findBuiltIn('toString'), undefined)
  assert.equal(builtInSummary('no-such-slug'), undefined)
})

test('ids of built-in evaluators are UUIDs that differ and never change', () => {
  const ids = EVALUATORS.map(({ slug }) => builtInSummary(slug)?.evaluatorId ?? '')
  assert.equal(new Set(ids).size, EVALUATORS.length)
  for (const id of ids)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  // Stored setups refer to it: if this line has to change, they break.
  assert.equal(builtInSummary('char-count')?.evaluatorId, '9afecbbd-3121-886f-b91f-91bb0c17b281')
})

for (const evaluator of EVALUATORS) {
  describe(evaluator.slug, () => {
    test('says where each of its inputs comes from', () => {
      assert.deepEqual(Object.keys(evaluator.fromSpan).sort(), Object.keys(evaluator.input.shape).sort())
    })

    test('describes every field in a sentence', () => {
      const summary = builtInSummary(evaluator.slug)
      for (const field of [...(summary?.inputSchema ?? []), ...(summary?.outputSchema ?? [])]) {
        assert.match(field.description, /^\S.*\.$/, field.name)
      }
      assert.match(evaluator.summary, /^[A-Z].*\.$/)
    })

    for (const example of evaluator.examples) {
      test(`has an example that fits its schemas: ${example.name}`, () => {
        evaluator.input.parse(example.input)
        evaluator.config.parse(example.config ?? {})
        evaluator.output.strict().parse(example.output)
      })
    }
  })
}
