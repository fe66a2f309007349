import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { jsonArrayText, reason, unitInterval } from '../kit/fields.ts'
import { isTrue, judgesBy } from '../kit/verdict-rule.ts'
import { compareTrajectories } from './compare-trajectories.ts'

export const agentToolTrajectory = defineEvaluator({
  slug: 'agent-tool-trajectory',
  summary: 'Compare the tool calls of an agent with the calls you expect.',
  method: 'exact',
  version: 2,
  input: z.object({
    executed_tool_calls: jsonArrayText('Calls that the agent made, each with name and input.'),
    expected_tool_calls: jsonArrayText('Calls that the agent should make, each with name and input.'),
  }),
  config: z.object({
    threshold: unitInterval('Smallest score that counts as success.').default(0.5),
    mismatch_sensitive: z
      .boolean()
      .default(false)
      .describe('Whether the lists must match exactly, so that unexpected calls count too.'),
    order_sensitive: z.boolean().default(false).describe('Whether the order of the calls matters.'),
    input_params_sensitive: z
      .boolean()
      .default(true)
      .describe('Whether the inputs of the calls are compared.'),
  }),
  output: z.object({
    success: z.boolean().describe('True when the score reaches the threshold.'),
    score: unitInterval('How well the calls agree; 1 means fully.'),
    reason: reason(),
  }),
  defaultScope: 'trace',
  verdict: judgesBy(
    isTrue('success'),
    { pass: 'Expected tool calls', fail: 'Unexpected tool calls' },
    'score',
  ),
  fromSpan: { executed_tool_calls: 'tool_calls', expected_tool_calls: null },
  examples: [
    {
      name: 'gives 1 to identical calls',
      input: {
        executed_tool_calls: '[{"name": "search", "input": {"query": "flights to Oslo"}}]',
        expected_tool_calls: '[{"name": "search", "input": {"query": "flights to Oslo"}}]',
      },
      output: { success: true, score: 1, reason: 'All expected calls were made.' },
    },
    {
      name: 'compares names only when inputs do not matter',
      input: {
        executed_tool_calls: '[{"name": "search", "input": {"query": "cheap flights to Oslo"}}]',
        expected_tool_calls: '[{"name": "search", "input": {"query": "flights to Oslo"}}]',
      },
      config: { input_params_sensitive: false },
      output: { success: true, score: 1, reason: 'All expected calls were made.' },
    },
    {
      name: 'reads OpenAI calls and names the argument that differs',
      input: {
        executed_tool_calls:
          '[{"type": "function", "function": {"name": "book", "arguments": "{\\"to\\": \\"OSL\\", \\"seats\\": 2}"}}]',
        expected_tool_calls: '[{"name": "book", "input": {"to": "OSL", "seats": 1}}]',
      },
      config: { threshold: 1 },
      output: { success: false, score: 0.5, reason: 'Different: book (seats differs).' },
    },
    {
      name: 'reads the text of a Python list too',
      input: {
        executed_tool_calls: "[{'name': 'book', 'input': {'to': 'OSL', 'seats': None}}]",
        expected_tool_calls: '[{"name": "book", "input": {"to": "OSL", "seats": null}}]',
      },
      output: { success: true, score: 1, reason: 'All expected calls were made.' },
    },
    {
      name: 'punishes a call out of order and an extra one when both matter',
      input: {
        executed_tool_calls: '["pay", "search", "log", "book"]',
        expected_tool_calls: '["search", "book", "pay"]',
      },
      config: { mismatch_sensitive: true, order_sensitive: true },
      output: { success: true, score: 0.5, reason: 'Out of order: pay #3. Extra: log #3.' },
    },
  ],
  evaluate: ({ input, config }) => compareTrajectories(input, config),
})
