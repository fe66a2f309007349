import assert from 'node:assert/strict'
import { existsSync, globSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { CANONICAL_FIELDS, type CanonicalField } from '../domain/evaluator.ts'
import { builtInSummary, findBuiltIn } from './catalogue.ts'
import { EVALUATORS } from './registry.gen.ts'

test('every evaluator folder is in the catalogue and is found by its slug', () => {
  const slugs = globSync('*/', { cwd: import.meta.dirname }).filter((name) =>
    existsSync(path.join(import.meta.dirname, name, `${name}.ts`)),
  )
  assert.deepEqual(EVALUATORS.map(({ slug }) => slug).sort(), slugs.sort())
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

// The groups of names by which clients fit what they have to what an evaluator wants. The expected answer is in no span:
// retrieved documents are what an answer was made from, not what it should be.
const SYNONYMS = new Map<string, CanonicalField | null>([
  ...['text', 'completion', 'answer', 'response'].map((name) => [name, 'completion'] as const),
  ...['question', 'prompt', 'instructions', 'query'].map((name) => [name, 'prompt'] as const),
  ...['prompts', 'trajectory_prompts'].map((name) => [name, 'prompts'] as const),
  ...['completions', 'trajectory_completions'].map((name) => [name, 'completions'] as const),
  ...['reference', 'ground_truth'].map((name) => [name, null] as const),
  ...CANONICAL_FIELDS.map((field) => [field, field] as const),
])

for (const evaluator of EVALUATORS) {
  describe(evaluator.slug, () => {
    test('either needs a judge or does not', () => {
      assert.equal(evaluator.evaluate === undefined, evaluator.judging !== undefined)
      assert.equal(evaluator.method === 'judge', evaluator.judging !== undefined)
    })

    test('says where each of its inputs comes from', () => {
      assert.deepEqual(Object.keys(evaluator.fromSpan).sort(), Object.keys(evaluator.input.shape).sort())
    })

    test('takes inputs that clients use as synonyms from the same field of a span', () => {
      for (const [name, field] of Object.entries(evaluator.fromSpan)) {
        if (SYNONYMS.has(name)) assert.equal(field, SYNONYMS.get(name), name)
      }
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
        const config = evaluator.config.parse(example.config ?? {})
        // A monitor keeps the config as the schema has read it, and the schema reads it again before each evaluation.
        assert.deepEqual(evaluator.config.parse(JSON.parse(JSON.stringify(config))), config)
        evaluator.output.strict().parse(example.output)
      })
    }
  })
}
