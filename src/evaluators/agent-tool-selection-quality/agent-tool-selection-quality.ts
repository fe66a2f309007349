import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { messageList, noConfig, reason } from '../kit/fields.ts'
import { isOneOf, isTrue, judgesBy } from '../kit/verdict-rule.ts'
import { askAboutChoice } from './ask-choice.ts'
import { judgeChoiceLocally } from './local-choice.ts'
import { readChoice } from './read-choice.ts'

const output = z.object({
  tool_selection: z.enum(['correct', 'incorrect']).describe('Whether the right tool was chosen.'),
  tool_selection_reason: reason('Why the choice of tool is right or wrong.'),
  correct_args: z.boolean().describe('True when the arguments of the call are right.'),
  correct_args_reason: reason('Why the arguments are right or wrong.'),
})

/** The verdict about a choice. */
export type ToolSelection = z.output<typeof output>

export const agentToolSelectionQuality = defineEvaluator({
  slug: 'agent-tool-selection-quality',
  summary: 'Judge whether an agent chose the right tool and gave it the right arguments.',
  method: 'judge',
  input: z.object({
    input_messages: messageList('The conversation before the choice.'),
    output_messages: messageList('What the agent said or called next.'),
  }),
  config: noConfig,
  output,
  defaultScope: 'trace',
  verdict: judgesBy([isOneOf('tool_selection', 'correct'), isTrue('correct_args')], {
    pass: 'Right tool and arguments',
    fail: 'Wrong tool or arguments',
  }),
  fromSpan: { input_messages: 'input_messages', output_messages: 'output_messages' },
  examples: [
    {
      name: 'accepts the right tool with the right arguments',
      input: {
        input_messages: [{ role: 'user', content: 'What is the weather in Oslo?' }],
        output_messages: [
          {
            role: 'assistant',
            content: '',
            tool_calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }],
          },
        ],
      },
      output: {
        tool_selection: 'correct',
        tool_selection_reason: 'get_weather has to do with what was asked for.',
        correct_args: true,
        correct_args_reason: 'The arguments are what the conversation asks for.',
      },
    },
    {
      name: 'checks the arguments by the definition of the tool, and takes JSON text too',
      input: {
        input_messages:
          '[{"role": "system", "content": "Available tools (JSON): [{\\"name\\": \\"get_weather\\", \\"description\\": \\"Get the weather of a city.\\", \\"parameters\\": {\\"type\\": \\"object\\", \\"properties\\": {\\"city\\": {\\"type\\": \\"string\\"}}, \\"required\\": [\\"city\\"]}}]"}, {"role": "user", "content": "What is the weather in Oslo?"}]',
        output_messages: '[{"role": "assistant", "tool_calls": [{"name": "get_weather", "arguments": {}}]}]',
      },
      output: {
        tool_selection: 'correct',
        tool_selection_reason: 'get_weather has to do with what was asked for.',
        correct_args: false,
        correct_args_reason: 'get_weather: the required argument city is missing.',
      },
    },
  ],
  judging: {
    ask: async ({ input, judge }) =>
      askAboutChoice(readChoice(input.input_messages, input.output_messages), judge),
    embedded: ({ input }) => judgeChoiceLocally(readChoice(input.input_messages, input.output_messages)),
    embeddedQuality: {
      balancedAccuracy: 0.861,
      measuredOn: 'second half of BFCL calls, right, altered and missing (404 rows)',
    },
  },
})
