import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  attribute,
  chat,
  empty,
  entryOf,
  found,
  planOf,
  spanOf,
} from '../../tests/support/binding-fixture.ts'
import type { SetupEntry } from '../domain/setup.ts'
import { spanFields } from '../domain/span-fields/span-fields.ts'
import type { SkippedSpans } from '../domain/span-role.ts'
import { traceFields } from '../domain/trace-fields/trace-fields.ts'
import type { Span } from '../lib/otlp/span.ts'
import { bindEntry, carryOver } from './bind-entry.ts'

describe('an evaluator that needs documents', () => {
  const entry = entryOf('faithfulness')
  const retriever = spanOf({
    'openinference.span.kind': 'RETRIEVER',
    'retrieval.documents.0.document.content': 'It rains in Oslo.',
  })
  const asTrace = (...spans: readonly Span[]) => {
    const fields = traceFields(spans.map((span, at) => ({ ...span, spanId: `${at}`.padStart(16, '0') })))
    assert.ok(fields)
    return { span: fields.root, fields }
  }
  const rag = asTrace(chat, retriever)
  const bind = (given: SetupEntry, samples: readonly Span[], traces = [rag], skips?: SkippedSpans) =>
    bindEntry(given, samples, found(given), traces, skips)

  test('looks at the trace where no span has all inputs and a trace has', () => {
    const binding = bind(entry, [chat, retriever], [asTrace(chat), rag], 'plumbing')
    assert.ok('plan' in binding)
    assert.equal(binding.plan.scope, 'trace')
    assert.equal(binding.plan.skips, undefined)
  })
  test('looks at the span where one has all inputs', () => {
    const whole = spanOf({
      ...Object.fromEntries(chat.attributes),
      'retrieval.documents.0.document.content': 'It rains in Oslo.',
    })
    const binding = bind(entry, [chat, whole])
    assert.ok('plan' in binding && binding.plan.scope === 'span')
  })
  test('does not take the dump of a part that gathers documents for an answer', () => {
    const parallel = spanOf(
      {
        'openinference.span.kind': 'CHAIN',
        'input.value': 'Weather in Oslo?',
        'output.value': '{"context":[{"page_content":"It rains in Oslo."}],"question":"Weather in Oslo?"}',
      },
      { name: 'RunnableParallel<context,question>' },
    )
    const binding = bind(entry, [parallel, chat], [asTrace(parallel, chat)], 'plumbing')
    assert.ok('plan' in binding && binding.plan.scope === 'trace')
    // A selector that names chains is taken at its word.
    const named = bind(entry, [parallel], [], undefined)
    assert.ok('plan' in named && named.plan.scope === 'span')
  })
  test('keeps a scope and a mapping that were given', () => {
    for (const override of [
      { scope: 'span' as const },
      { mapping: { context: attribute('app.documents') } },
    ]) {
      const binding = bind(entryOf('faithfulness', override), [chat, retriever])
      assert.ok('errorMessage' in binding, JSON.stringify(override))
    }
  })
  test('is told that neither spans nor traces have the documents', () => {
    const binding = bind(entry, [chat], [asTrace(chat)])
    assert.ok('errorMessage' in binding)
    assert.match(
      binding.errorMessage,
      /^neither the matching span nor its trace gives input context \(field context\); it binds when one does, or map it in/,
    )
    assert.ok(binding.canHeal)
    const several = bind(entry, [chat, chat], [asTrace(chat), asTrace(chat)])
    assert.ok('errorMessage' in several)
    assert.match(several.errorMessage, /^none of 2 spans and none of 2 traces gives input context/)
  })
  test('is told how to look at traces where its inputs are never on the same span', () => {
    const alone = bind(entryOf('faithfulness', { scope: 'span' }), [chat, retriever])
    assert.ok('errorMessage' in alone)
    assert.match(alone.errorMessage, /never on the same span: set "scope": "trace" in evaluator_configs, /)
  })
  test('is the only kind that chooses: another evaluator that fails on spans stays with them', () => {
    const binding = bind(entryOf('answer-relevancy'), [spanOf({ 'gen_ai.prompt.0.content': 'q' })])
    assert.ok('errorMessage' in binding)
    assert.match(binding.errorMessage, /^the matching span does not give input answer/)
  })
})

describe('spans that are skipped', () => {
  const workflow = spanOf({
    'traceloop.span.kind': 'workflow',
    'traceloop.entity.input': '"q"',
    'traceloop.entity.output': '"a"',
  })
  const entry = entryOf('char-count')
  const bind = (given: SetupEntry, samples: readonly Span[], skips?: SkippedSpans) =>
    bindEntry(given, samples, found(given), [], skips)

  test('bind nothing, and the message says which they are and how to have them scored', () => {
    const binding = bind(entry, [workflow, empty], 'plumbing')
    assert.ok('errorMessage' in binding)
    assert.match(
      binding.errorMessage,
      /^none of 2 matching spans is a call of a model, a tool or an agent: a workflow span, a span without a model/,
    )
    assert.match(
      binding.errorMessage,
      /name them in the selector .*traceloop\.span\.kind.*evaluator_configs\[\]\.mapping/,
    )
    assert.ok(binding.canHeal)
    assert.ok(binding.errorMessage.length <= 500)
  })
  test('are written into the plan, but for an explicit mapping and for traces', () => {
    const plan = (given: SetupEntry, skips?: SkippedSpans) => {
      const binding = bind(given, [chat], skips)
      assert.ok('plan' in binding)
      return binding.plan
    }
    assert.equal(plan(entry, 'plumbing').skips, 'plumbing')
    assert.equal(plan(entry, 'wrappers').skips, 'wrappers')
    assert.ok(!('skips' in plan(entry)))
    const mapping = { text: { from: { field: 'completion' as const } } }
    assert.ok(!('skips' in plan(entryOf('char-count', { mapping }), 'plumbing')))
    const trace = entryOf('char-count', { scope: 'trace' })
    const binding = bindEntry(
      trace,
      [chat],
      found(trace),
      [{ span: chat, fields: spanFields(chat) }],
      'plumbing',
    )
    assert.ok('plan' in binding && !('skips' in binding.plan))
  })
  test('are bound where the mapping is explicit', () => {
    const mapping = { text: attribute('traceloop.entity.output') }
    assert.ok('plan' in bind(entryOf('char-count', { mapping }), [workflow], 'plumbing'))
  })
  test('stay what they were when a monitor is carried over', () => {
    const evaluator = found(entry)
    assert.ok(evaluator)
    const known = planOf(entry, chat)
    assert.equal(carryOver(entry, known, evaluator)?.skips, undefined)
    assert.equal(carryOver(entry, { ...known, skips: 'plumbing' }, evaluator)?.skips, 'plumbing')
  })
})
