// npm run new-evaluator -- <slug>: a folder with a definition, a first test, and fresh generated files.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { camelCase } from './camel-case.ts'

const root = path.dirname(import.meta.dirname)
const [slug = ''] = process.argv.slice(2)
const folder = path.join(root, 'src/evaluators', slug)

if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(slug))
  stop('usage: npm run new-evaluator -- <slug>, in lower case with hyphens')
if (existsSync(folder)) stop(`src/evaluators/${slug} is there already`)

mkdirSync(folder)
writeFileSync(path.join(folder, `${slug}.ts`), definition(slug))
writeFileSync(path.join(folder, `${slug}.test.ts`), firstTest(slug))
spawnSync(process.execPath, ['scripts/generate.ts'], { cwd: root, stdio: 'inherit' })
console.log(`
Next:
  1. src/evaluators/${slug}/${slug}.ts: say what it does; the example is its first test
  2. npm run generate
  3. npm test -- src/evaluators/${slug}/${slug}.test.ts src/evaluators/examples.test.ts`)

function definition(name: string): string {
  return `import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text } from '../kit/fields.ts'
import { isFalse, judgesBy } from '../kit/verdict-rule.ts'

export const ${camelCase(name)} = defineEvaluator({
  slug: '${name}',
  summary: 'Tell whether a text is empty.',
  method: 'exact',
  isCheap: true,
  input: z.object({ text: text('Text to look at.') }),
  config: noConfig,
  output: z.object({ is_empty: z.boolean().describe('True when the text has no characters.') }),
  defaultScope: 'span',
  verdict: judgesBy(isFalse('is_empty'), { pass: 'Has text', fail: 'Empty' }),
  fromSpan: { text: 'completion' },
  examples: [{ name: 'finds an empty text', input: { text: '' }, output: { is_empty: true } }],
  evaluate: ({ input }) => ({ is_empty: input.text === '' }),
})
`
}

function firstTest(name: string): string {
  return `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { executeEvaluator } from '../kit/execute-evaluator.ts'
import { ${camelCase(name)} } from './${name}.ts'

test('takes white space for text', async () => {
  assert.deepEqual(await executeEvaluator(${camelCase(name)}, { text: ' ' }, undefined), { is_empty: false })
})
`
}

function stop(message: string): never {
  console.error(message)
  process.exit(2)
}
