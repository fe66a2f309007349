import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, reason, text } from '../kit/fields.ts'

export const agentToolErrorDetector = defineEvaluator({
  slug: 'agent-tool-error-detector',
  summary: 'Detect whether a tool call ended in an error.',
  method: 'exact',
  input: z.object({
    tool_input: text('What the tool was given. JSON text or plain text.'),
    tool_output: text('What the tool returned. JSON text or plain text.'),
  }),
  config: noConfig,
  output: z.object({
    success: z.boolean().describe('True when the tool ran without an error.'),
    reason: reason(),
  }),
  // One tool span holds a whole call, so this agent evaluator needs no trace.
  defaultScope: 'span',
  fromSpan: { tool_input: 'tool_calls', tool_output: 'tool_results' },
  examples: [
    {
      name: 'passes an ordinary result',
      input: { tool_input: '{"city": "Oslo"}', tool_output: '{"temperature": 4, "sky": "rain"}' },
      output: { success: true, reason: 'The output reports no error.' },
    },
    {
      name: 'fails a result that carries an error',
      input: { tool_input: '{"city": "Osslo"}', tool_output: '{"error": "city not found"}' },
      output: { success: false, reason: 'The output reports an error: city not found' },
    },
  ],
})
