import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldType } from '../../domain/evaluator.ts'
import { suggestedRule } from '../../domain/verdict.ts'
import { EVALUATORS } from '../registry.gen.ts'
import { builtInGuardRule, customGuardRule } from './guard-rule.ts'

// Passing and failing outputs of every built-in evaluator; the edges are on both sides of the line.
const CASES: Record<string, [passing: Record<string, unknown>[], failing: Record<string, unknown>[]]> = {
  'action-advancement': [[{ pass: true }], [{ pass: false }]],
  'agent-efficiency': [
    [{ task_completion_score: 0.5, step_efficiency_score: 0 }],
    [{ task_completion_score: 0.49, step_efficiency_score: 1 }],
  ],
  'agent-flow-quality': [[{ success: true, score: 0.1 }], [{ success: false, score: 0.9 }]],
  'agent-goal-accuracy': scores('accuracy_score', 0.5),
  'agent-goal-completeness': [[{ success: true }], [{ success: false }]],
  'agent-tool-error-detector': [[{ success: true }], [{ success: false }]],
  'agent-tool-selection-quality': [
    [{ tool_selection: 'correct', correct_args: true }],
    [
      { tool_selection: 'correct', correct_args: false },
      { tool_selection: 'incorrect', correct_args: true },
    ],
  ],
  'agent-tool-trajectory': [[{ success: true }], [{ success: false }]],
  'answer-completeness': scores('answer_completeness_score', 0.5),
  'answer-correctness': scores('correctness_score', 0.5),
  'answer-relevancy': [[{ is_relevant: true }], [{ is_relevant: false }]],
  'char-count': [[{ char_count: 1 }], [{ char_count: 0 }]],
  'char-count-ratio': [[{ char_ratio: 0.01 }], [{ char_ratio: 0 }]],
  'context-relevance': scores('relevance_score', 0.5),
  'conversation-quality': scores('conversation_quality_score', 0.5),
  faithfulness: [[{ is_faithful: true }], [{ is_faithful: false }]],
  'html-comparison': scores('similarity_score', 0.7),
  'instruction-adherence': scores('instruction_adherence_score', 0.5),
  'intent-change': [[{ success: true }], [{ success: false }]],
  'json-validator': [[{ is_valid_json: true }], [{ is_valid_json: false }]],
  perplexity: [[{ perplexity_score: 10 }], [{ perplexity_score: 10.1 }]],
  'pii-detector': [[{ has_pii: false }], [{ has_pii: true }]],
  'placeholder-regex': [[{ is_valid_regex: true }], [{ is_valid_regex: false }]],
  'profanity-detector': [[{ is_safe: true }], [{ is_safe: false }]],
  'prompt-injection': [[{ has_injection: false }], [{ has_injection: true }]],
  'prompt-perplexity': [
    [{ perplexity_score: 80 }, { perplexity_score: 2_000 }],
    [{ perplexity_score: 2_001 }],
  ],
  'regex-validator': [[{ is_valid_regex: true }], [{ is_valid_regex: false }]],
  'secrets-detector': [[{ has_secret: false }], [{ has_secret: true }]],
  'semantic-similarity': scores('similarity_score', 0.7),
  'sexism-detector': [[{ is_safe: true }], [{ is_safe: false }]],
  'sql-validator': [[{ is_valid_sql: true }], [{ is_valid_sql: false }]],
  'tone-detection': scores('score', 0.5),
  'topic-adherence': scores('adherence_score', 0.5),
  'toxicity-detector': [[{ is_safe: true }], [{ is_safe: false }]],
  'uncertainty-detector': [[{ uncertainty: 0.49 }, { uncertainty: 0 }], [{ uncertainty: 0.5 }]],
  'word-count': [[{ word_count: 1 }], [{ word_count: 0 }]],
  'word-count-ratio': [[{ word_ratio: 0.01 }], [{ word_ratio: 0 }]],
}

function scores(field: string, min: number): [Record<string, unknown>[], Record<string, unknown>[]] {
  return [
    [{ [field]: min }, { [field]: 1 }],
    [{ [field]: min - 0.01 }, { [field]: 0 }],
  ]
}

for (const evaluator of EVALUATORS) {
  test(`${evaluator.slug} passes by a field that it answers with`, () => {
    const rule = builtInGuardRule(evaluator)
    const [passing, failing] = CASES[evaluator.slug] ?? assert.fail('no cases')
    for (const output of [...passing, ...failing]) {
      for (const name of Object.keys(output)) assert.ok(name in evaluator.output.shape, name)
    }
    for (const output of passing) assert.equal(rule.passes(output), true, JSON.stringify(output))
    for (const output of failing) assert.equal(rule.passes(output), false, JSON.stringify(output))
    assert.equal(rule.passes({}), false)
  })
}

test('a custom evaluator passes by pass, else by its first boolean, else by its first number', () => {
  const rule = (...outputs: [string, FieldType][]) => {
    const outputSchema = outputs.map(([name, type]) => ({ name, type, description: '', label: '' }))
    return customGuardRule({ slug: 'mine', outputSchema, verdict: suggestedRule(outputSchema) })
  }
  const named = rule(['ok', 'boolean'], ['pass', 'boolean'])
  assert.deepEqual(
    [named.passes({ ok: false, pass: true }), named.passes({ ok: true, pass: false })],
    [true, false],
  )
  const first = rule(['score', 'float'], ['ok', 'boolean'], ['other', 'boolean'])
  assert.deepEqual(
    [first.passes({ score: 0, ok: true, other: false }), first.passes({ score: 1, ok: false, other: true })],
    [true, false],
  )
  const number = rule(['reason', 'string'], ['points', 'int'], ['score', 'float'])
  assert.deepEqual(
    [number.passes({ points: 1, score: 0 }), number.passes({ points: 0, score: 1 })],
    [true, false],
  )
  // A text is not a verdict, even when it is named like one.
  const word = rule(['pass', 'string'], ['score', 'float'])
  assert.equal(word.passes({ pass: 'yes', score: 0.5 }), true)
  assert.throws(() => rule(['reason', 'string'], ['mood', 'enum']), /evaluator mine cannot guard/)
})
