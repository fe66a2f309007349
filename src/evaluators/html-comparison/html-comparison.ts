import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text, unitInterval } from '../kit/fields.ts'
import { atLeast, judgesBy } from '../kit/verdict-rule.ts'

export const htmlComparison = defineEvaluator({
  slug: 'html-comparison',
  summary: 'Score how similar two HTML documents are in structure and content.',
  method: 'exact',
  input: z.object({
    html1: text('The first HTML document or fragment.'),
    html2: text('The second HTML document or fragment.'),
  }),
  config: noConfig,
  output: z.object({ similarity_score: unitInterval('How similar the two are; 1 means the same.') }),
  defaultScope: 'span',
  verdict: judgesBy(atLeast('similarity_score', 0.7), { pass: 'Similar', fail: 'Different' }),
  fromSpan: { html1: null, html2: null },
  examples: [
    {
      name: 'gives 1 to identical documents',
      input: {
        html1: '<ul><li>Tea</li><li>Coffee</li></ul>',
        html2: '<ul><li>Tea</li><li>Coffee</li></ul>',
      },
      output: { similarity_score: 1 },
    },
    {
      name: 'gives 1 to documents that differ in nothing that matters',
      input: {
        html1: '<p class="big red" id="a">Tea<!-- hot --> time</p>',
        html2: '<html>\n<body>\n  <p id="a" class="red big">\n    Tea\n    time\n  </p>\n</body>\n</html>',
      },
      output: { similarity_score: 1 },
    },
    {
      name: 'gives the share that is left to a document with parts deleted',
      input: { html1: '<p>Tea</p><p>Rum</p>', html2: '<p>Tea</p>' },
      output: { similarity_score: 0.5 },
    },
    {
      name: 'gives 0 to documents with nothing in common',
      input: { html1: '<p>Tea</p>', html2: '<ul><li>Rum</li><li>Milk</li></ul>' },
      output: { similarity_score: 0 },
    },
  ],
  // Weights and the rules of the comparison: compare-tokens.ts; what does not matter at all: token-writer.ts.
  // The HTML parser is loaded with the first call, in the thread that evaluates: a start does not need it.
  async evaluate({ input }) {
    const { compareHtml } = await import('./compare-html.ts')
    return { similarity_score: compareHtml(input.html1, input.html2) }
  },
})
