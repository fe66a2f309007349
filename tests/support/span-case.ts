import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Dialect, FieldValues } from '../../src/domain/span-fields/canonical-values.ts'
import { type SpanFields, spanFields } from '../../src/domain/span-fields/span-fields.ts'
import type { AttributeValue, Span } from '../../src/lib/otlp/span.ts'

type Given = Readonly<Record<string, AttributeValue>>

/** A span of some dialect and what must be read from it. */
export interface Case {
  readonly name: string
  readonly dialect: Dialect | undefined
  readonly attributes?: Given
  readonly events?: readonly (readonly [string, Given])[]
  readonly span?: Partial<Span>
  /** Every field that the span carries, but for the two sides of `messages`; one that is not named must be absent. */
  readonly fields: Partial<Omit<FieldValues, 'input_messages' | 'output_messages'>>
}

/** The call that the question about the weather leads to. */
export const weatherCall = { name: 'get_weather', arguments: { city: 'Oslo' }, id: 'call_1' }
export const weatherSchema = { type: 'object', properties: { city: { type: 'string' } } }
/** The tool that is called, as it is declared to the model. */
export const weatherTool = {
  name: 'get_weather',
  description: 'Weather of a city.',
  parameters: weatherSchema,
}

/** The conversation that the same question about the weather makes in every dialect. */
export const weatherFields: Partial<FieldValues> = {
  prompt: 'Weather in Oslo?',
  completion: 'Rain, 4 degrees.',
  system_prompt: 'Be brief.',
  prompts: ['Weather in Oslo?'],
  completions: ['Rain, 4 degrees.'],
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Weather in Oslo?' },
    { role: 'assistant', content: '', tool_calls: [weatherCall] },
    { role: 'tool', content: '{"sky":"rain"}', tool_call_id: 'call_1' },
    { role: 'assistant', content: 'Rain, 4 degrees.' },
  ],
  tool_calls: [weatherCall],
  tool_results: [{ name: 'get_weather', id: 'call_1', result: { sky: 'rain' } }],
}

/** A conversation of one question and one answer. */
export function conversation(prompt: string, completion: string): Partial<FieldValues> {
  return {
    prompt,
    completion,
    prompts: [prompt],
    completions: [completion],
    messages: [
      { role: 'user', content: prompt },
      { role: 'assistant', content: completion },
    ],
  }
}

/** Reads every span of a dialect and compares all of its fields. */
export function describeDialect(dialect: string, cases: readonly Case[]): void {
  describe(`${dialect}:`, () => {
    for (const given of cases) {
      test(`reads ${given.name}`, () => {
        const fields = spanFields(spanOf(given))
        const { input_messages: sent = [], output_messages: back = [], ...found } = valuesOf(fields)
        assert.deepEqual(found, given.fields)
        // The two sides of the conversation need not be written down again: together they are the whole.
        assert.deepEqual([...sent, ...back], found.messages ?? [])
        assert.ok(back.every(({ role }) => role !== 'user' && role !== 'system'))
        assert.equal(fields.dialect, given.dialect)
        for (const field of fields.found()) assert.ok(fields.origins(field).length > 0, field)
      })
    }
  })
}

function valuesOf(fields: SpanFields): Partial<FieldValues> {
  return Object.fromEntries(fields.found().map((field) => [field, fields.get(field)]))
}

function spanOf({ attributes = {}, events = [], span = {} }: Case): Span {
  return {
    ...{ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceState: '', name: 'span', kind: 3 },
    ...{ startUnixNano: 0n, endUnixNano: 1n, statusCode: 0, statusMessage: '' },
    ...{ resource: new Map(), scopeName: '', scopeVersion: '' },
    attributes: new Map(Object.entries(attributes)),
    events: events.map(([name, given]) => ({
      name,
      timeUnixNano: 0n,
      attributes: new Map(Object.entries(given)),
    })),
    ...span,
  }
}
