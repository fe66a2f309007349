import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  attribute,
  chat,
  empty,
  entryOf,
  faultOf,
  found,
  mapped,
  planOf,
  spanOf,
} from '../../tests/support/binding-fixture.ts'
import { assertGrowth } from '../../tests/support/processor-time.ts'
import type { EvaluatorOverride } from '../domain/setup.ts'
import { spanFields } from '../domain/span-fields/span-fields.ts'
import { builtInId, findBuiltIn } from '../evaluators/catalogue.ts'
import { EVALUATORS } from '../evaluators/registry.gen.ts'
import type { Span } from '../lib/otlp/span.ts'
import { bindEntry, carryOver } from './bind-entry.ts'

describe('an entry binds on spans of every dialect:', () => {
  const message = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] })
  const dialects: Record<string, Span> = {
    'OpenTelemetry GenAI': spanOf({
      'gen_ai.input.messages': JSON.stringify([message('user', 'Weather in Oslo?')]),
      'gen_ai.output.messages': JSON.stringify([message('assistant', 'Rain.')]),
    }),
    'OpenTelemetry GenAI, in events': spanOf(
      {},
      {
        events: [
          {
            name: 'gen_ai.user.message',
            timeUnixNano: 0n,
            attributes: new Map([['content', 'Weather in Oslo?']]),
          },
          {
            name: 'gen_ai.choice',
            timeUnixNano: 0n,
            attributes: new Map([['message', '{"role":"assistant","content":"Rain."}']]),
          },
        ],
      },
    ),
    OpenLLMetry: chat,
    'older OpenLLMetry': spanOf({
      'llm.prompts.0.content': 'Weather in Oslo?',
      'llm.completions.0.content': 'Rain.',
    }),
    'Traceloop entities': spanOf({
      'traceloop.span.kind': 'workflow',
      'traceloop.entity.input': '{"args":["Weather in Oslo?"],"kwargs":{}}',
      'traceloop.entity.output': '"Rain."',
    }),
    OpenInference: spanOf({
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': 'Weather in Oslo?',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': 'Rain.',
    }),
    'OpenInference values': spanOf({ 'input.value': 'Weather in Oslo?', 'output.value': 'Rain.' }),
    'Vercel AI SDK': spanOf({ 'ai.prompt': '{"prompt":"Weather in Oslo?"}', 'ai.response.text': 'Rain.' }),
  }
  for (const [dialect, span] of Object.entries(dialects)) {
    test(dialect, () => {
      for (const slug of [
        'char-count',
        'char-count-ratio',
        'word-count',
        'json-validator',
        'sql-validator',
      ]) {
        const { mapping } = planOf(entryOf(slug), span)
        const expected = EVALUATORS.find((evaluator) => evaluator.slug === slug)?.fromSpan
        const fields = Object.entries(mapping).map(([name, { from }]) => [
          name,
          'field' in from && from.field,
        ])
        assert.deepEqual(Object.fromEntries(fields), expected)
      }
    })
  }
  test('tool calls, of Traceloop, MCP and the Vercel AI SDK', () => {
    const tools = [
      spanOf({
        'traceloop.span.kind': 'tool',
        'traceloop.entity.name': 'weather',
        'traceloop.entity.input': '{"args":["Oslo"]}',
        'traceloop.entity.output': '{"sky":"rain"}',
      }),
      spanOf({
        'mcp.method.name': 'tools/call',
        'gen_ai.tool.name': 'weather',
        'gen_ai.tool.call.arguments': '{"city":"Oslo"}',
        'gen_ai.tool.call.result': '{"sky":"rain"}',
      }),
      spanOf({
        'ai.toolCall.name': 'weather',
        'ai.toolCall.args': '{"city":"Oslo"}',
        'ai.toolCall.result': '{"sky":"rain"}',
      }),
    ]
    for (const span of tools) planOf(entryOf('agent-tool-error-detector'), span)
  })
})

describe('a plan', () => {
  test('says everything that decides a score, defaults included', () => {
    const id = builtInId('regex-validator')
    const entry = entryOf('regex-validator', { config: { regex: '^R', should_match: false } })
    assert.deepEqual(planOf(entry, chat), {
      slug: 'regex-validator',
      evaluatorId: id,
      evaluatorVersion: 1,
      scope: 'span',
      config: {
        regex: '^R',
        should_match: false,
        case_sensitive: true,
        dot_include_nl: false,
        multi_line: false,
      },
      mapping: { text: { from: { field: 'completion' } } },
      samplingRate: 1,
    })
  })
  test('is in the same words whatever the order in which things were given', () => {
    const one = {
      numerator_text: attribute('a', { jsonPath: 'x', regex: 'y*' }),
      denominator_text: attribute('b'),
    }
    const other = {
      denominator_text: { from: { key: 'b', source: 'span_attributes' } },
      numerator_text: { regex: 'y*', jsonPath: 'x', from: { key: 'a', source: 'span_attributes' } },
    } as const
    const span = spanOf({ a: '{"x": "yy"}', b: 'z' })
    const planned = [one, other].map((mapping) =>
      JSON.stringify(planOf(entryOf('char-count-ratio', { mapping, samplingRate: 0.5 }), span)),
    )
    assert.equal(planned[0], planned[1])
    assert.match(planned[0] ?? '', /"samplingRate":0.5/)
  })
  test('has the version of the evaluator', () => {
    const tool = spanOf({ 'ai.toolCall.name': 'a', 'ai.toolCall.args': '{}', 'ai.toolCall.result': '1' })
    assert.equal(planOf(entryOf('agent-tool-error-detector'), tool).evaluatorVersion, 3)
  })
  test('takes an explicit mapping before the field of the evaluator', () => {
    const mapping = { text: attribute('app.answer', { jsonPath: 'text' }) }
    const span = spanOf({ ...Object.fromEntries(chat.attributes), ...mapped })
    assert.deepEqual(planOf(entryOf('char-count', { mapping }), span).mapping, mapping)
    // The field is on this span, but the mapping says that it is not what is meant.
    assert.equal(faultOf(entryOf('char-count', { mapping }), chat).canHeal, true)
  })
  test('follows the aliases of a mapped attribute', () => {
    const mapping = { text: attribute('llm.completions.0.content') }
    assert.deepEqual(planOf(entryOf('char-count', { mapping }), chat).mapping, mapping)
  })
  test('is found on the one span among many that gives every input', () => {
    planOf(entryOf('char-count-ratio'), empty, spanOf({ 'input.value': 'Q' }), chat, empty)
  })
})

describe('an entry that looks at more than a span', () => {
  const talk = { span: chat, fields: spanFields(chat) }
  const scopeOf = (slug: string, override: EvaluatorOverride, samples: readonly Span[]) => {
    const entry = entryOf(slug, override)
    const binding = bindEntry(entry, samples, found(entry), [talk])
    assert.ok('plan' in binding, 'errorMessage' in binding ? binding.errorMessage : '')
    return binding.plan.scope
  }

  test('binds on traces, by default or by choice', () => {
    assert.equal(scopeOf('action-advancement', {}, [chat]), 'trace')
    assert.equal(scopeOf('char-count', { scope: 'trace' }, [chat]), 'trace')
    assert.equal(scopeOf('char-count', { scope: 'session' }, [chat]), 'session')
    assert.equal(scopeOf('action-advancement', { scope: 'span' }, [chat]), 'span')
  })
  test('looks at the session where spans name one, unless it was told to look at the trace', () => {
    const inSession = spanOf({ ...Object.fromEntries(chat.attributes), 'session.id': 's' })
    assert.equal(scopeOf('action-advancement', {}, [inSession]), 'session')
    assert.equal(scopeOf('action-advancement', { scope: 'trace' }, [inSession]), 'trace')
  })
  test('is told what the traces lack', () => {
    const entry = entryOf('action-advancement')
    const binding = bindEntry(entry, [chat], found(entry), [{ span: empty, fields: spanFields(empty) }])
    assert.ok('errorMessage' in binding)
    assert.match(binding.errorMessage, /does not give input messages/)
    assert.equal(binding.canHeal, true)
  })
})

describe('an input', () => {
  test('that no span can give fails at once, and the message says how to map it', () => {
    const { errorMessage, canHeal } = faultOf(entryOf('answer-correctness'))
    assert.match(
      errorMessage,
      /^input ground_truth cannot be taken from a span: map it in evaluator_configs\[\]\.mapping, for example /,
    )
    assert.match(errorMessage, /\{"ground_truth": \{"source": "span_attributes", "key": "\.\.\."\}\}/)
    assert.equal(canHeal, false)
  })
  test('that no span can give is named together with the others of its kind', () => {
    const { errorMessage } = faultOf(entryOf('html-comparison'), chat)
    assert.match(errorMessage, /^inputs html1, html2 cannot be taken from a span/)
    assert.match(errorMessage, /"html1": \{.*"html2": \{/)
  })
  test('that was mapped binds', () => {
    const mapping = { html1: attribute('app.answer'), html2: attribute('app.expected') }
    planOf(entryOf('html-comparison', { mapping }), spanOf(mapped))
  })
  test('whose field no sample carries is named with the field, and heals when a span brings it', () => {
    const entry = entryOf('perplexity')
    const { errorMessage, canHeal } = faultOf(entry, chat, empty)
    assert.equal(
      errorMessage,
      'none of 2 spans gives input logprobs (field logprobs); it binds when a span does, or map it in ' +
        'evaluator_configs[].mapping, for example {"logprobs": {"source": "span_attributes", "key": "..."}}',
    )
    assert.equal(canHeal, true)
    planOf(entry, chat, empty, spanOf({ 'gen_ai.response.logprobs': '[-0.5]' }))
  })
  test('whose mapped attribute no sample carries is named with the attribute, the path and the pattern', () => {
    const override = { mapping: { text: attribute('app.answer', { jsonPath: 'a.b', regex: 'x(y)' }) } }
    const { errorMessage, canHeal } = faultOf(entryOf('char-count', override), chat)
    assert.equal(
      errorMessage,
      'the matching span does not give input text (span attribute "app.answer" at json_path "a.b" with regex ' +
        '"x(y)"); it binds when a span does, or correct evaluator_configs[].mapping',
    )
    assert.equal(canHeal, true)
    planOf(entryOf('char-count', override), spanOf({ 'app.answer': '{"a":{"b":"xy"}}' }))
  })
  test('of the resource is called so', () => {
    const override: EvaluatorOverride = {
      mapping: { text: { from: { source: 'resource_attributes', key: 'app.tag' } } },
    }
    assert.match(
      faultOf(entryOf('char-count', override), chat).errorMessage,
      /\(resource attribute "app.tag"\)/,
    )
    planOf(entryOf('char-count', override), spanOf({}, { resource: new Map([['app.tag', 'x']]) }))
  })
  test('that is missing is named beside all others that are', () => {
    const { errorMessage } = faultOf(entryOf('agent-tool-error-detector'), chat)
    assert.match(
      errorMessage,
      /input tool_input \(field tool_calls\), input tool_output \(field tool_results\)/,
    )
    assert.match(errorMessage, /map them in .*"tool_input": .*"tool_output": /)
  })
  test('that is empty is there', () => {
    planOf(entryOf('char-count', { mapping: { text: attribute('a') } }), spanOf({ a: '' }))
  })
  test('that is never on the same span as the others is not bound, until it is', () => {
    const question = spanOf({ 'input.value': 'Q' })
    const answer = spanOf({ 'output.value': 'A' })
    const { errorMessage, canHeal } = faultOf(entryOf('char-count-ratio'), question, answer)
    assert.match(
      errorMessage,
      /^inputs numerator_text, denominator_text are there, but never on the same span: .*evaluator_configs/,
    )
    assert.equal(canHeal, true)
    planOf(entryOf('char-count-ratio'), question, answer, chat)
  })
  test('needs a span to be learned from', () => {
    assert.deepEqual(faultOf(entryOf('char-count')), {
      errorMessage: 'no matching span has arrived yet',
      canHeal: true,
    })
  })
  test('with a name as long as it may be still gives a message of one short line', () => {
    const key = 'very long\nname '.repeat(70)
    const mapping = { html1: attribute(key, { regex: 'x'.repeat(4_000) }), html2: attribute(key) }
    faultOf(entryOf('html-comparison', { mapping }), chat)
  })
  test('whose pattern takes too long on every sample is told so', () => {
    const mapping = { text: attribute('a', { regex: '(?=a)((?:a+)+)$' }) }
    const { errorMessage } = faultOf(entryOf('char-count', { mapping }), spanOf({ a: `${'a'.repeat(40)}c` }))
    assert.match(errorMessage, /mapping\.text\.regex took longer than/)
  })
  test('whose pattern takes too long holds up the event loop for no longer than a few samples', async () => {
    const entry = entryOf('char-count', { mapping: { text: attribute('a', { regex: '^(?=a)(a+)+$' }) } })
    const bind = (count: number) => () => {
      const samples = Array.from({ length: count }, () => spanOf({ a: `${'a'.repeat(40)}b` }))
      assert.match(faultOf(entry, ...samples).errorMessage, /mapping\.text\.regex took longer than 20 ms/)
    }
    // In proportion it would be 200 times as much; a few samples are the same however many there are.
    await assertGrowth(bind(1), bind(200), { factor: 200, power: 0.3 })
  })
  test('whose pattern cannot be read is told so', () => {
    const { errorMessage, canHeal } = faultOf(
      entryOf('char-count', { mapping: { text: attribute('a', { regex: '(' }) } }),
      spanOf({ a: 'x' }),
    )
    assert.match(errorMessage, /^a regex in evaluator_configs\[\]\.mapping is not valid: /)
    assert.equal(canHeal, false)
  })
})

describe('an evaluator', () => {
  test('that needs a setting which was not given has it named, with an example, and everything else that is wrong', () => {
    const { errorMessage, canHeal } = faultOf(entryOf('agent-flow-quality'), chat)
    assert.match(
      errorMessage,
      /^config\.conditions is required: give it in evaluator_configs\[\]\.config, for example \{"conditions": \["/,
    )
    assert.match(errorMessage, /config\.threshold is required: .* \{"threshold": /)
    assert.equal(canHeal, false)
  })
  test('whose only setting is required is not bound without it', () => {
    const { errorMessage, canHeal } = faultOf(entryOf('agent-goal-completeness'), chat)
    assert.match(errorMessage, /^config\.threshold is required: .* \{"threshold": 0\.8\}$/)
    assert.equal(canHeal, false)
  })
  test('that needs a judge is bound to the one there is, and told how to get one where there is none', () => {
    const entry = entryOf('answer-relevancy')
    assert.equal(planOf(entry, chat).judge, 'openai/gpt-4o')
    const evaluator = findBuiltIn('answer-relevancy')
    assert.ok(evaluator)
    const binding = bindEntry(entry, [chat], { evaluator, version: 1 })
    assert.ok('errorMessage' in binding)
    assert.match(binding.errorMessage, /^answer-relevancy needs a judge .* set ASSAY_JUDGE_MODEL/)
    assert.equal(binding.canHeal, false)
  })
  test('that needs no judge has none in its plan', () => {
    assert.ok(!('judge' in planOf(entryOf('char-count'), chat)))
  })
  test('that is not there any more cannot be bound', () => {
    const entry = { ...entryOf('my-judge'), evaluatorId: '0190c0de-0000-7000-8000-000000000000' }
    const { errorMessage, canHeal } = faultOf(entry, chat)
    assert.match(errorMessage, /^evaluator my-judge does not exist any more/)
    assert.equal(canHeal, false)
  })
  test('of any kind binds or says in one line why not, without a setting', () => {
    for (const { slug, defaultScope } of EVALUATORS) {
      const binding = bindEntry(entryOf(slug), [chat], found(entryOf(slug)))
      if ('plan' in binding) assert.ok(defaultScope === 'span', slug)
      else faultOf(entryOf(slug), chat)
    }
  })
})

describe('a plan is carried over to another version or judge', () => {
  const entry = entryOf('answer-relevancy')
  const known = planOf(entry, chat)
  const evaluator = findBuiltIn('answer-relevancy')
  assert.ok(evaluator)

  test('without looking at spans, when its inputs come from the same places', () => {
    assert.deepEqual(carryOver(entry, known, { evaluator, version: 2, judge: 'embedded' }), {
      ...known,
      evaluatorVersion: 2,
      judge: 'embedded',
    })
  })
  test('but not when they come from elsewhere now, or nobody judges', () => {
    const moved = { ...evaluator, fromSpan: { ...evaluator.fromSpan, question: 'system_prompt' as const } }
    assert.equal(carryOver(entry, known, { evaluator: moved, version: 2, judge: 'embedded' }), undefined)
    assert.equal(carryOver(entry, known, { evaluator, version: 2 }), undefined)
  })
  test('with the scope that it had', () => {
    const whole = { ...known, scope: 'session' as const }
    assert.equal(carryOver(entry, whole, { evaluator, version: 2, judge: 'embedded' })?.scope, 'session')
  })
})
