import { describe, test } from 'node:test'
import fc from 'fast-check'
import { actionAdvancement } from '../action-advancement/action-advancement.ts'
import { agentEfficiency } from '../agent-efficiency/agent-efficiency.ts'
import { agentFlowQuality } from '../agent-flow-quality/agent-flow-quality.ts'
import { agentGoalCompleteness } from '../agent-goal-completeness/agent-goal-completeness.ts'
import { agentToolSelectionQuality } from '../agent-tool-selection-quality/agent-tool-selection-quality.ts'
import { conversationQuality } from '../conversation-quality/conversation-quality.ts'
import { instructionAdherence } from '../instruction-adherence/instruction-adherence.ts'
import { intentChange } from '../intent-change/intent-change.ts'
import type { AnyEvaluator } from '../kit/define-evaluator.ts'
import { executeEvaluator } from '../kit/execute-evaluator.ts'

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom('Calls pay_now "twice"', 'Use at most 3 words.', 'Ja?', 'Error: 503', '[{"name":', 'ok'),
)
const call = fc.record(
  { name: text, id: text, arguments: fc.oneof(text, fc.object({ maxDepth: 2, maxKeys: 3 })) },
  { requiredKeys: [] },
)
const message = fc.record(
  {
    role: fc.constantFrom('user', 'assistant', 'tool', 'system', 'developer', 'narrator'),
    content: fc.oneof(
      text,
      fc.constant(null),
      fc.array(fc.record({ type: fc.constant('text'), text }), { maxLength: 2 }),
    ),
    tool_calls: fc.oneof(fc.array(call, { maxLength: 2 }), fc.jsonValue({ maxDepth: 1 })),
    tools: fc.oneof(
      fc.array(fc.record({ name: text, parameters: fc.jsonValue({ maxDepth: 2 }) }), { maxLength: 2 }),
    ),
    tool_call_id: text,
  },
  { requiredKeys: ['role'] },
)
const messages = fc.array(message, { minLength: 1, maxLength: 5 })
const entries = fc
  .array(fc.oneof(text, message, fc.jsonValue({ maxDepth: 2 })), { minLength: 1, maxLength: 5 })
  .map((list) => JSON.stringify(list))
const trajectory = fc.record({ trajectory_prompts: entries, trajectory_completions: entries })
const exchanges = fc.record({ prompts: entries, completions: entries })

const CASES: readonly (readonly [AnyEvaluator, fc.Arbitrary<object>, fc.Arbitrary<object>?])[] = [
  [actionAdvancement, fc.record({ messages })],
  [agentEfficiency, trajectory],
  [
    agentFlowQuality,
    trajectory,
    fc.record({
      conditions: fc.array(fc.string({ minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 3 }),
      threshold: fc.constantFrom(0, 0.5, 1),
    }),
  ],
  [agentGoalCompleteness, trajectory, fc.record({ threshold: fc.constantFrom(0, 0.5, 1) })],
  [agentToolSelectionQuality, fc.record({ input_messages: messages, output_messages: messages })],
  [conversationQuality, exchanges],
  [instructionAdherence, fc.record({ instructions: text, response: text })],
  [intentChange, exchanges],
]

describe('without a provider any valid input has an answer with all its fields', () => {
  for (const [evaluator, input, config = fc.constant({})] of CASES) {
    test(evaluator.slug, async () => {
      const evaluate = evaluator.judging?.embedded
      if (!evaluate) throw new Error('there is no embedded judge')
      const property = fc.asyncProperty(input, config, async (given, settings) => {
        await executeEvaluator({ ...evaluator, evaluate }, given, settings)
      })
      await fc.assert(property, { numRuns: 60 })
    })
  }
})
