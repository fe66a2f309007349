import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeTraces, type TestAttributes, testId } from '../../tests/otlp/encode-traces.ts'
import { scanStoredTraces } from '../lib/otlp/scan-traces.ts'
import { TextSearch } from './text-search.ts'

function finds(text: string, attributes: TestAttributes): boolean {
  const span = { traceId: testId(16, 1), spanId: testId(8, 1), name: 'chat', attributes }
  const bytes = encodeTraces([{ resource: { note: 'needle' }, scopes: [{ spans: [span] }] }])
  const [view] = scanStoredTraces(Buffer.from(bytes), [])
  assert.ok(view)
  return new TextSearch(text).find(view) !== undefined
}

const plain = {
  'gen_ai.completion.0.role': 'assistant',
  'gen_ai.completion.0.content': 'Grüße aus KÖLN, 42 mal',
}
const json = (content: string) => ({
  'gen_ai.input.messages': `[{"role":"user","parts":[{"type":"text","content":"${content}"}]}]`,
})

for (const [text, attributes, expected] of [
  ['köln', plain, true],
  ['grÜSSe', plain, false],
  ['42', plain, true],
  [', 42 ', plain, true],
  ['43', plain, false],
  ['aus köln', plain, true],
  ['assistant', plain, false],
  ['needle', plain, false],
  ['two\nlines', json('Two\\nlines'), true],
  ['say "hi"', json('Say \\"hi\\" now'), true],
  ['letters', json('\\u006cetters'), true],
  ['letters', json('\\u006Cetter'), false],
  ['role', json('hello'), false],
] as const) {
  test(`${expected ? 'finds' : 'does not find'} ${JSON.stringify(text)} in ${JSON.stringify(attributes)}`, () => {
    assert.equal(finds(text, attributes), expected)
  })
}
