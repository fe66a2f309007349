import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attribute, chat, entryOf, found, spanOf } from '../../../tests/support/binding-fixture.ts'
import type { SetupEntry } from '../../domain/setup.ts'
import { spanFields } from '../../domain/span-fields/span-fields.ts'
import { traceFields } from '../../domain/trace-fields/trace-fields.ts'
import type { Span } from '../../lib/otlp/span.ts'
import { findFixes } from './find-fixes.ts'
import { tryEntry } from './try-entry.ts'

const retriever = spanOf(
  {
    'openinference.span.kind': 'RETRIEVER',
    'retrieval.documents.0.document.content': 'It rains in Oslo.',
  },
  { spanId: '2'.repeat(16) },
)

function fixesOf(entry: SetupEntry, samples: readonly Span[], withTraces: readonly Span[] = []) {
  const fields = traceFields(withTraces)
  const units = {
    skips: undefined,
    samples,
    spans: samples.map((span) => ({ span, fields: spanFields(span) })),
    ...(fields && { traces: [{ span: fields.root, fields }] }),
  }
  const trial = tryEntry(entry, found(entry), units)
  return findFixes(entry, found(entry), units, trial)
}

test('documents that another span has are taken from it by looking at the trace', () => {
  const fixes = fixesOf(entryOf('faithfulness', { scope: 'span' }), [chat], [chat, retriever])
  assert.deepEqual(fixes[0], { label: 'Take context from the retrieval span', override: { scope: 'trace' } })
})

test('the whole trace is offered where inputs are there but never on the same span', () => {
  const asked = spanOf({ 'gen_ai.prompt.0.role': 'user', 'gen_ai.prompt.0.content': 'Why?' })
  const answered = spanOf(
    { 'gen_ai.completion.0.role': 'assistant', 'gen_ai.completion.0.content': 'Because.' },
    { spanId: '2'.repeat(16) },
  )
  const fixes = fixesOf(entryOf('answer-relevancy'), [asked, answered], [asked, answered])
  assert.deepEqual(
    fixes.map(({ label }) => label),
    ['Use the whole trace'],
  )
})

test('an input that no span gives by itself comes from an attribute, the one with the likeliest name first', () => {
  const span = spanOf({
    ...Object.fromEntries(chat.attributes),
    'app.expected_answer': 'It rains in Oslo today.',
    'app.trace_link': 'https://example.com/some/long/link',
    'app.tokens': 12,
  })
  const fixes = fixesOf(entryOf('semantic-similarity'), [span])
  assert.equal(fixes[0]?.label, 'Take reference from the attribute app.expected_answer')
  assert.deepEqual(fixes[0]?.override.mapping, { reference: attribute('app.expected_answer') })
  assert.ok(
    fixes.every(({ label }) => !label.endsWith('app.tokens')),
    'a number is no text',
  )
})

test('a mapping to an attribute that no span has is taken back', () => {
  const entry = entryOf('pii-detector', { mapping: { text: attribute('app.gone') }, samplingRate: 0.5 })
  const [first] = fixesOf(entry, [chat])
  assert.deepEqual(first, {
    label: 'Take text from the completion of the span',
    override: { mapping: {}, samplingRate: 0.5 },
  })
})

test('only changes after which the entry binds are offered', () => {
  // Neither the span nor its trace has documents, and no setting of the mapping gives the missing config.
  assert.deepEqual(fixesOf(entryOf('regex-validator'), [chat], [chat]), [])
  const labels = fixesOf(entryOf('faithfulness', { scope: 'span' }), [chat], [chat]).map(({ label }) => label)
  assert.deepEqual(labels, [], 'question and answer are no documents, and roles are no texts')
  assert.deepEqual(fixesOf(entryOf('char-count'), [chat]), [], 'it binds already')
})
