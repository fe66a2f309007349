import { bodyOf, type Call } from './evaluator-call.ts'

/** The same call for a shell. The key comes from the environment, so that no snippet ever holds one. */
export function curlOf(slug: string, call: Call, origin: string): string {
  return [
    `curl -X POST ${origin}/v2/evaluators/${slug}/execute \\`,
    '  -H "Authorization: Bearer $ASSAY_API_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d ${quoted(JSON.stringify(bodyOf(call)))}`,
  ].join('\n')
}

/** The same call in TypeScript, with nothing but fetch. */
export function typeScriptOf(slug: string, call: Call, origin: string): string {
  return [
    `const response = await fetch('${origin}/v2/evaluators/${slug}/execute', {`,
    "  method: 'POST',",
    '  headers: {',
    "    Authorization: 'Bearer ' + process.env.ASSAY_API_KEY,",
    "    'Content-Type': 'application/json',",
    '  },',
    `  body: JSON.stringify(${indented(JSON.stringify(bodyOf(call), undefined, 2))}),`,
    '})',
    'if (!response.ok) throw new Error(await response.text())',
    'const result = await response.json()',
  ].join('\n')
}

// Between single quotes a shell takes everything as it is but the quote itself.
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

const indented = (text: string) => text.replaceAll('\n', '\n  ')
