import assert from 'node:assert/strict'
import { type TraceFields, traceFields } from '../../src/domain/trace-fields/trace-fields.ts'
import { type SampleSpan, spansOfTrace } from './trace-case.ts'

/** Reads the spans of one trace, which has some. */
export const read = (...samples: readonly SampleSpan[]): TraceFields => {
  const fields = traceFields(spansOfTrace(1, ...samples))
  assert.ok(fields)
  return fields
}

/** A call of a model with one question, in the words of OpenLLMetry. */
export const chat = (prompt: string, completion: string, rest: Partial<SampleSpan> = {}): SampleSpan => ({
  name: 'openai.chat',
  ...rest,
  attributes: {
    'gen_ai.prompt.0.role': 'user',
    'gen_ai.prompt.0.content': prompt,
    'gen_ai.completion.0.role': 'assistant',
    'gen_ai.completion.0.content': completion,
    ...rest.attributes,
  },
})

/** A call of a model with the whole conversation so far: user, assistant, user and so on. */
export const chatWith = (history: readonly string[], completion: string): SampleSpan => ({
  name: 'openai.chat',
  attributes: {
    'gen_ai.input.messages': JSON.stringify(
      history.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content })),
    ),
    'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', content: completion }]),
  },
})

/** A workflow of the Traceloop SDK. */
export const workflow = (input: unknown, output: unknown, ...within: readonly SampleSpan[]): SampleSpan => ({
  name: 'workflow',
  attributes: {
    'traceloop.span.kind': 'workflow',
    'traceloop.entity.input': JSON.stringify(input),
    'traceloop.entity.output': JSON.stringify(output),
  },
  within,
})

/** The span of a tool of the Traceloop SDK. */
export const tool = (
  name: string,
  input: unknown,
  output?: unknown,
  rest: Partial<SampleSpan> = {},
): SampleSpan => ({
  name,
  ...rest,
  attributes: {
    'traceloop.span.kind': 'tool',
    'traceloop.entity.name': name,
    'traceloop.entity.input': JSON.stringify(input),
    ...(output !== undefined && { 'traceloop.entity.output': JSON.stringify(output) }),
  },
})
