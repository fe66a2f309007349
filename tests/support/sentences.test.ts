import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commentSentences, pageHeadings, pageSentences, type Sentence } from './sentences.ts'

const shown = (sentences: readonly Sentence[]) => sentences.map(({ line, text }) => `${line} ${text}`)

test('finds the sentences of every form of comment, with their lines', () => {
  const source = [
    '/** One. Two goes on',
    ' * here: Who asks? */',
    'const url = "https://example.com" // Three',
    '/*',
    ' * Four.',
    ' *',
    ' * - five',
    ' * - six',
    ' */',
    '  // Seven is',
    '  // long. Eight',
    'return <p>{/* Nine */}</p>',
    'const files = globSync("src/**/*.ts")',
  ]
  assert.deepEqual(shown(commentSentences(source.join('\n'))), [
    '1 One.',
    '1 Two goes on here:',
    '2 Who asks?',
    '3 Three',
    '5 Four.',
    '7 five',
    '8 six',
    '10 Seven is long.',
    '11 Eight',
    '12 Nine',
  ])
})

test('finds the sentences and headings of a page, without code', () => {
  const page = [
    '# A title',
    'One goes',
    'on. **Two.** Three',
    '- four',
    '  and more',
    '1. five',
    '',
    '| six | seven. Eight |',
    '```',
    '# no heading',
    '```',
    '## Another?',
    '> nine',
  ]
  assert.deepEqual(shown(pageSentences(page.join('\n'))), [
    '2 One goes on.',
    '3 **Two.**',
    '3 Three',
    '4 four and more',
    '6 five',
    '8 six',
    '8 seven.',
    '8 Eight',
    '13 nine',
  ])
  assert.deepEqual(shown(pageHeadings(page.join('\n'))), ['1 A title', '12 Another?'])
})
