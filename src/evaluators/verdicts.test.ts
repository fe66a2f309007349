import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verdictOf } from '../domain/verdict.ts'
import { schemaFields } from './kit/schema-fields.ts'
import { EVALUATORS } from './registry.gen.ts'

/** Evaluators that only count; every other one says which answers are good. */
const COUNTING = ['char-count', 'char-count-ratio', 'word-count', 'word-count-ratio']

test('every evaluator but those that count says which answers are good, by fields that it has', () => {
  for (const { slug, verdict, output } of EVALUATORS) {
    assert.equal(verdict.conditions.length === 0, COUNTING.includes(slug), slug)
    const fields = new Map(schemaFields(output).map((field) => [field.name, field]))
    for (const condition of verdict.conditions) {
      const field = fields.get(condition.field)
      assert.ok(field, `${slug} has no ${condition.field}`)
      if ('is' in condition) assert.equal(field.type, 'boolean', slug)
      else if ('oneOf' in condition)
        assert.ok(
          condition.oneOf.every((value) => field.enumValues?.includes(value)),
          slug,
        )
      else assert.ok(['int', 'float'].includes(field.type), slug)
    }
    if (verdict.scoreField !== undefined) assert.equal(fields.get(verdict.scoreField)?.type, 'float', slug)
    assert.notEqual(verdict.labels.pass, verdict.labels.fail)
  }
})

test('a neutral evaluator still has a rule for guards', () => {
  for (const { slug, verdict, guard } of EVALUATORS)
    assert.ok(verdict.conditions.length > 0 || guard, `${slug} could not guard`)
})

test('good and bad examples are told apart', () => {
  const verdicts = (slug: string) => {
    const found = EVALUATORS.find((evaluator) => evaluator.slug === slug)
    return found?.examples.map(({ output }) => verdictOf(found.verdict, output))
  }
  assert.deepEqual(verdicts('pii-detector'), ['fail', 'pass', 'fail', 'pass'])
  assert.equal(verdicts('char-count')?.[0], 'neutral')
})
