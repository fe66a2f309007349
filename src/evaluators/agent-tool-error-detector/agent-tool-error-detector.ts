import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, reason, text } from '../kit/fields.ts'
import { isTrue, judgesBy } from '../kit/verdict-rule.ts'
import { askAboutOutput } from './ask-about-output.ts'
import { detectToolError } from './detect-tool-error.ts'

export const agentToolErrorDetector = defineEvaluator({
  slug: 'agent-tool-error-detector',
  summary: 'Detect whether a tool call ended in an error.',
  method: 'judge',
  version: 3,
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
  verdict: judgesBy(isTrue('success'), { pass: 'Tool call succeeded', fail: 'Tool call failed' }),
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
    {
      name: 'takes plain text too',
      input: { tool_input: 'cat notes.txt', tool_output: 'cat: notes.txt: No such file or directory' },
      output: {
        success: false,
        reason: 'The output reports an error: cat: notes.txt: No such file or directory',
      },
    },
    {
      name: 'passes results that are about errors',
      input: {
        tool_input: '{"query": "http errors"}',
        tool_output: '{"results": [{"title": "404 Not Found explained"}, {"title": "Error: what now?"}]}',
      },
      output: {
        success: true,
        reason: 'No sign of an error of the tool was found, although the output has words about errors.',
      },
    },
  ],
  judging: {
    // Code decides by the tool's own statement; a judge is asked only where the signs leave it open.
    ask: async ({ input, judge }) => {
      const { verdict, reason: why } = detectToolError(input.tool_input, input.tool_output)
      if (verdict !== 'unsure') return { success: verdict === 'ok', reason: why }
      return askAboutOutput(input.tool_input, input.tool_output, judge)
    },
    // An unsure verdict counts as success: without a sign of failure the tool has the benefit of the doubt.
    embedded: ({ input }) => {
      const { verdict, reason: why } = detectToolError(input.tool_input, input.tool_output)
      return { success: verdict !== 'error', reason: why }
    },
    embeddedQuality: {
      balancedAccuracy: 1,
      measuredOn: 'second half of tau-bench airline calls (125 rows), all of whose errors are plain',
    },
  },
})
