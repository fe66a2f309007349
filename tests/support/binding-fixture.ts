import assert from 'node:assert/strict'
import { bindEntry } from '../../src/control/bind-entry.ts'
import type { EntryEvaluator } from '../../src/control/entry-evaluators.ts'
import type { EvaluatorOverride, InputMapping, SetupEntry } from '../../src/domain/setup.ts'
import { builtInId, findBuiltIn, versionOf } from '../../src/evaluators/catalogue.ts'
import type { AttributeValue, Span } from '../../src/lib/otlp/span.ts'

export function entryOf(slug: string, override: EvaluatorOverride = {}): SetupEntry {
  return { slug, evaluatorId: builtInId(slug), override, status: 'pending' }
}

export function spanOf(attributes: Readonly<Record<string, AttributeValue>>, rest: Partial<Span> = {}): Span {
  return {
    ...{ traceId: '1'.repeat(32), spanId: '1'.repeat(16), traceState: '', name: 'chat', kind: 3 },
    ...{ startUnixNano: 0n, endUnixNano: 1n, statusCode: 0, statusMessage: '', events: [] },
    ...{ scopeName: '', scopeVersion: '', resource: new Map() },
    attributes: new Map(Object.entries(attributes)),
    ...rest,
  }
}

/** The evaluator of an entry where `openai/gpt-4o` judges. */
export function found({ evaluatorId }: SetupEntry): EntryEvaluator | undefined {
  const evaluator = findBuiltIn(evaluatorId)
  return (
    evaluator && {
      evaluator,
      version: versionOf(evaluator),
      ...(evaluator.judging ? { judge: 'openai/gpt-4o' } : {}),
    }
  )
}

export function planOf(entry: SetupEntry, ...samples: Span[]) {
  const binding = bindEntry(entry, samples, found(entry))
  assert.ok('plan' in binding, 'errorMessage' in binding ? binding.errorMessage : '')
  return binding.plan
}

export function faultOf(entry: SetupEntry, ...samples: Span[]) {
  const binding = bindEntry(entry, samples, found(entry))
  assert.ok('errorMessage' in binding, 'it has bound')
  assert.ok(binding.errorMessage.length <= 500, binding.errorMessage)
  assert.doesNotMatch(binding.errorMessage, /[\n\r]/)
  return binding
}

export const attribute = (key: string, rest: Partial<InputMapping> = {}): InputMapping => ({
  from: { source: 'span_attributes', key },
  ...rest,
})

export const chat = spanOf({
  'gen_ai.prompt.0.role': 'user',
  'gen_ai.prompt.0.content': 'Weather in Oslo?',
  'gen_ai.completion.0.role': 'assistant',
  'gen_ai.completion.0.content': 'Rain.',
})
export const empty = spanOf({ 'http.method': 'GET' })
export const mapped = { 'app.answer': '{"text": "A"}', 'app.expected': 'B' }
