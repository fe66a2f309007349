import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import type { Message } from '../src/domain/span-fields/canonical-values.ts'
import { spanFields } from '../src/domain/span-fields/span-fields.ts'
import { type TraceFields, traceFields } from '../src/domain/trace-fields/trace-fields.ts'
import { findBuiltIn } from '../src/evaluators/catalogue.ts'
import { withEmbeddedJudge } from '../src/evaluators/embedded-judge.ts'
import { executeEvaluator } from '../src/evaluators/kit/execute-evaluator.ts'
import { compileSpanInputs } from '../src/evaluators/kit/span-inputs.ts'
import type { AttributeValue, Span } from '../src/lib/otlp/span.ts'

/** Recorded runs of agents that we may read but not pass on; see docs/quality.md. */
const DIRECTORY = path.resolve(import.meta.dirname, '../../shared/data/raw/trail/traces')
const SKIPPED = existsSync(DIRECTORY) ? false : 'not here: shared/data/raw/trail beside the checkout'

interface RecordedSpan {
  trace_id: string
  span_id: string
  parent_span_id: string | null
  span_name: string
  timestamp: string
  status_code: string
  span_attributes: Record<string, AttributeValue>
  child_spans: RecordedSpan[]
}

const withChildren = (span: RecordedSpan): RecordedSpan[] => [span, ...span.child_spans.flatMap(withChildren)]

function toSpan(span: RecordedSpan): Span {
  const startUnixNano = BigInt(Date.parse(span.timestamp)) * 1_000_000n
  return {
    ...{ traceId: span.trace_id, spanId: span.span_id },
    ...(span.parent_span_id !== null && { parentSpanId: span.parent_span_id }),
    ...{ traceState: '', name: span.span_name, kind: 1, startUnixNano, endUnixNano: startUnixNano },
    ...{ statusCode: span.status_code === 'Error' ? 2 : 0, statusMessage: '' },
    attributes: new Map(Object.entries(span.span_attributes)),
    ...{ resource: new Map(), scopeName: '', scopeVersion: '', events: [] },
  }
}

function readTrace(file: string): { spans: Span[]; fields: TraceFields } {
  const { spans: recorded } = JSON.parse(readFileSync(path.join(DIRECTORY, file), 'utf8'))
  const spans = (recorded as RecordedSpan[]).flatMap(withChildren).map(toSpan)
  const fields = traceFields(spans.toReversed())
  assert.ok(fields)
  return { spans, fields }
}

/** The speakers, one letter each: u(ser), a(ssistant), s(ystem), t(ool), c(all told as a text); calls by name. */
const outlineOf = (messages: readonly Message[]): string =>
  messages
    .map(({ role, tool_calls: calls = [] }) => {
      const letter = role === 'tool-call' ? 'c' : (role[0] as string)
      return calls.length === 0 ? letter : `${letter}>${calls.map(({ name }) => name).join('+')}`
    })
    .join(' ')

/**
 * Each run as a person reads it. The task; a survey of facts and a plan, each asked for; then instructions, the task again, facts
 * and plan as the agent's own words; then a thought, what it calls and what comes back, and so on; the answer of the agent;
 * at last the question for the answer alone. The second run has an agent within its first step.
 */
const OUTLINES: Readonly<Record<string, { outline: string; completion: string }>> = {
  '0adc4f3b99d9564d32811e913cc9d248.json': {
    outline: 'u u a u a s u a a a a>final_answer a s u u u a',
    completion: 'FINAL ANSWER: 100',
  },
  '331aece579d942bb4c345a86c86efb83.json': {
    outline: 'u u a u a s u a a a u u a u a s u a a a>final_answer a c t a s u u u a',
    completion: 'FINAL ANSWER: 3',
  },
  '4a8d094e92433f1ba1da21f602c417d9.json': {
    outline: 'u u a u a s u a a a c t a a>final_answer a s u u u a',
    completion: 'FINAL ANSWER: diamond',
  },
  '4ae16319f0de44a7d1e84595b41ae08d.json': {
    outline: 'u u a u a s u a a a a>final_answer a s u u u a',
    completion: 'FINAL ANSWER: 30',
  },
  '85c14ced5177cdad83f1f1f898a1c6c7.json': {
    outline: 'u u a u a s u a a a c t a c t a c t a a>final_answer a s u u u a',
    completion: 'FINAL ANSWER: User:Darwin',
  },
}

/** Values that a recorded run cannot give, because only the user who set up the evaluator knows them. */
const FROM_THE_USER: Readonly<Record<string, { input?: Record<string, string>; config?: object }>> = {
  'agent-goal-accuracy': { input: { reference: 'The question is answered with one number or name.' } },
  'agent-tool-trajectory': { input: { expected_tool_calls: '[{"name": "final_answer", "input": {}}]' } },
  'agent-flow-quality': { config: { conditions: ['The agent gives a final answer.'], threshold: 1 } },
  'agent-goal-completeness': { config: { threshold: 1 } },
}

const EVALUATORS = [
  ...['action-advancement', 'agent-efficiency', 'agent-flow-quality', 'agent-goal-accuracy'],
  ...['agent-goal-completeness', 'agent-tool-error-detector', 'agent-tool-selection-quality'],
  ...['agent-tool-trajectory', 'conversation-quality', 'intent-change'],
]

describe('recorded runs of agents:', { skip: SKIPPED }, () => {
  test('all of them are known here', () => {
    assert.deepEqual(readdirSync(DIRECTORY).sort(), Object.keys(OUTLINES))
  })

  for (const [file, { outline, completion }] of Object.entries(OUTLINES)) {
    test(`${file.slice(0, 4)} is read in order, each thing once`, () => {
      const { fields } = readTrace(file)
      assert.equal(outlineOf(fields.get('messages') ?? []), outline)
      assert.equal(fields.get('completion'), completion)
      assert.match(fields.get('prompt') ?? '', /output a FINAL ANSWER to the question/)
      assert.match(fields.get('system_prompt') ?? '', /^You are an expert assistant/)
      assert.deepEqual([fields.root.name, fields.isSampled], ['main', false])
    })

    test(`${file.slice(0, 4)} has every answer of every call of a model`, () => {
      const { spans, fields } = readTrace(file)
      const calls = spans.filter(({ attributes }) => attributes.get('openinference.span.kind') === 'LLM')
      assert.ok(calls.length >= 4, `${calls.length} calls`)
      const told = (fields.get('messages') ?? []).map(({ content }) => content)
      for (const call of calls) {
        const answer = spanFields(call).get('completion')
        if (answer !== undefined) assert.equal(told.filter((text) => text === answer).length, 1, call.spanId)
      }
    })

    for (const slug of EVALUATORS) {
      test(`${file.slice(0, 4)} can be judged by ${slug}`, async (t) => {
        const evaluator = findBuiltIn(slug)
        assert.ok(evaluator)
        const { fields } = readTrace(file)
        const { input: given = {}, config = {} } = FROM_THE_USER[slug] ?? {}
        const mapping = Object.fromEntries(
          Object.entries(evaluator.fromSpan).flatMap(([name, field]) =>
            field === null ? [] : [[name, { from: { field } }] as const],
          ),
        )
        const read = compileSpanInputs({ ...evaluator, input: evaluator.input.partial() }, mapping).read({
          span: fields.root,
          fields,
        })
        assert.ok('input' in read)
        // Two of the runs tell of no result of a tool: the input is missing then, and nothing is judged.
        if (slug === 'agent-tool-error-detector' && fields.get('tool_results') === undefined) {
          assert.equal(read.input['tool_output'], undefined)
          return
        }
        const judge = withEmbeddedJudge(evaluator, 'answers')
        const answer = await executeEvaluator(judge, { ...read.input, ...given }, config)
        t.diagnostic(JSON.stringify(answer).slice(0, 300))
        assert.deepEqual(Object.keys(answer), Object.keys(evaluator.output.shape))
      })
    }
  }
})
