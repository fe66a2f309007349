import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { curlOf, typeScriptOf } from '../../dashboard/src/pages/evaluators/call-snippets.ts'
import { bodyOf, placeOfFault } from '../../dashboard/src/pages/evaluators/evaluator-call.ts'
import type { EvaluatorDetail } from '../../dashboard/src/pages/evaluators/evaluator-types.ts'
import {
  changeBodyOf,
  createBodyOf,
  draftOf,
  firstDraft,
  newField,
  newMessage,
  slugFromName as slugOfPage,
} from '../../dashboard/src/pages/evaluators/judge-draft.ts'
import { faultOf, faultWords, messageAt } from '../../dashboard/src/pages/evaluators/judge-faults.ts'
import { moved } from '../../dashboard/src/pages/evaluators/list-edits.ts'
import { checkPlaceholders, piecesOf } from '../../dashboard/src/pages/evaluators/placeholders.ts'
import { changesBetween } from '../../dashboard/src/pages/evaluators/version-changes.ts'
import { labelOf as labelOfPage } from '../../dashboard/src/ui/label-of.ts'
import { splitTemplate } from '../../src/domain/prompt-template.ts'
import { slugFromName } from '../../src/domain/slug.ts'
import { labelOf } from '../../src/evaluators/kit/schema-fields.ts'

const STORED: EvaluatorDetail = {
  id: 'an-id',
  name: 'Politeness',
  slug: 'politeness',
  type: 'LLM_AS_A_JUDGE',
  description: 'Says how polite it is.',
  version: '1',
  source: 'custom',
  method: 'judge',
  verdict: { rule: 'share is at least 0.5', property: 'share', pass_label: 'Passed', fail_label: 'Failed' },
  input_schema: [{ name: 'text', type: 'string', description: 'The text.', label: 'Text' }],
  output_schema: [
    { name: 'share', type: 'float', description: '', label: 'How much', minimum: 0, maximum: 1 },
    { name: 'mood', type: 'enum', description: '', label: 'Mood', enum_values: ['good', 'bad'] },
  ],
  config: {
    provider: 'openai',
    messages: [{ role: 'user', content: 'Judge {{text}}.' }],
    llm_config: { model: 'tiny', temperature: 0, stop: ['END', 'STOP'] },
  },
}

describe('a call as code', () => {
  const call = { input: { text: `it's "so" $HOME \\ \`x\`\nüber` }, config: { threshold: 0.5 } }

  test('says in a shell exactly what the page sends', () => {
    const printed = curlOf('some-slug', call, 'http://here').replace(/^curl .*-d /s, 'printf %s ')
    assert.deepEqual(JSON.parse(execFileSync('sh', ['-c', printed], { encoding: 'utf8' })), bodyOf(call))
  })

  test('says in TypeScript exactly what the page sends, and holds no key', () => {
    const code = typeScriptOf('some-slug', call, 'http://here')
    const [, body = ''] = /JSON\.stringify\((.*)\),\n\}\)/s.exec(code) ?? []
    assert.deepEqual(JSON.parse(body), bodyOf(call))
    assert.match(code, /http:\/\/here\/v2\/evaluators\/some-slug\/execute/)
    assert.match(code, /process\.env\.ASSAY_API_KEY/)
  })

  test('leaves settings out that are not set', () => {
    assert.deepEqual(bodyOf({ input: { text: '' }, config: {} }), { input: { text: '' } })
  })
})

describe('a judge that is written', () => {
  test('stays what it is when it is opened and saved', () => {
    const { name, description, provider, messages, input_schema, output_schema, ...rest } = createBodyOf(
      draftOf(STORED),
    )
    assert.deepEqual([name, description, provider], ['Politeness', STORED.description, 'openai'])
    assert.deepEqual(messages, STORED.config.messages)
    assert.deepEqual(input_schema, [{ name: 'text', type: 'string', description: 'The text.' }])
    assert.deepEqual(output_schema, [
      { name: 'share', type: 'float', description: '', label: 'How much', minimum: 0, maximum: 1 },
      { name: 'mood', type: 'enum', description: '', enum_values: ['good', 'bad'] },
    ])
    assert.deepEqual(rest, { slug: 'politeness', model: 'tiny', temperature: 0, stop: ['END', 'STOP'] })
  })

  test('gives a setting back to the provider that is not set any more', () => {
    const draft = draftOf(STORED)
    const { llm_config } = changeBodyOf({ ...draft, sampling: { stopText: ' \n' } }).config ?? {}
    assert.deepEqual([llm_config?.temperature, llm_config?.stop, llm_config?.model], [null, null, 'tiny'])
    const kept = changeBodyOf(draft).config?.llm_config
    assert.deepEqual([kept?.temperature, kept?.stop, kept?.top_p], [0, ['END', 'STOP'], null])
  })

  test('forgets the bounds of a field that is no number any more', () => {
    const field = {
      ...newField({ name: 'share', type: 'float', minimum: 0, maximum: 1 }),
      type: 'string',
    } as const
    const [sent] = createBodyOf({ ...draftOf(STORED), outputs: [field] }).output_schema
    assert.deepEqual(sent, { name: 'share', type: 'string', description: '' })
  })

  test('sends the rule that was chosen, whatever its answer is called by now, and none where none was', () => {
    const chosen_verdict = { property: 'share', at_least: 0.7, pass_label: 'Polite', fail_label: 'Rude' }
    const draft = draftOf({ ...STORED, chosen_verdict })
    assert.deepEqual(createBodyOf(draft).verdict, chosen_verdict)
    const [share, mood] = draft.outputs
    const renamed = [{ ...share, name: 'amount' }, mood] as typeof draft.outputs
    assert.equal(changeBodyOf({ ...draft, outputs: renamed }).verdict?.property, 'amount')
    const byMood = {
      ...draft.verdict,
      fieldId: mood?.id,
      goodText: 'good\n\n',
      passLabel: ' ',
      failLabel: '',
    }
    assert.deepEqual(createBodyOf({ ...draft, verdict: byMood }).verdict, {
      property: 'mood',
      one_of: ['good'],
    })
    const neutral = { ...STORED, chosen_verdict: { neutral: true } as const }
    assert.deepEqual(createBodyOf(draftOf(neutral)).verdict, { neutral: true })
    assert.equal(changeBodyOf(draftOf(STORED)).verdict, null)
    assert.deepEqual(createBodyOf(firstDraft(null)).verdict, { property: 'pass', is: true })
  })

  test('begins with who judges already, if that is a model of a provider', () => {
    const { provider, model } = firstDraft('openai/meta-llama/Llama-3.1-8B')
    assert.deepEqual([provider, model], ['openai', 'meta-llama/Llama-3.1-8B'])
    assert.deepEqual([firstDraft('embedded').provider, firstDraft(null).model], ['openai', ''])
    assert.deepEqual(checkPlaceholders(firstDraft(null)), { unknown: [], unused: [] })
  })

  test('has the slug that the service would make', () => {
    for (const name of ['Très gentil!', ' A  b ', 'x'.repeat(80), '???', 'ΑΒΓ 1', `${'a'.repeat(62)} b`])
      assert.equal(slugOfPage(name), slugFromName(name))
  })

  test('calls fields what the service calls them', () => {
    const labels = {
      trajectory_prompts: 'Trajectory prompts',
      has_pii: 'Has PII',
      'sql-validator': 'SQL validator',
      _: '',
    }
    for (const [name, label] of Object.entries(labels)) {
      assert.equal(labelOf(name), label)
      assert.equal(labelOfPage(name), label)
    }
  })

  test('is moved about within its list and not out of it', () => {
    const list = [{ id: 1 }, { id: 2 }, { id: 3 }]
    const ids = (items: readonly { id: number }[]) => items.map(({ id }) => id)
    assert.deepEqual(ids(moved(list, 3, -1)), [1, 3, 2])
    assert.deepEqual(ids(moved(list, 1, 1)), [2, 1, 3])
    assert.deepEqual(ids(moved(list, 1, -1)), [1, 2, 3])
    assert.deepEqual(ids(moved(list, 3, 1)), [1, 2, 3])
  })
})

describe('placeholders', () => {
  test('are found where the service finds them', () => {
    for (const content of [
      '',
      'a {{ b }} c',
      '{{a}}{{b}}',
      '{"a": {"b": {}}}',
      '{{}} {{{x}}} {{a b}}',
      '{{a\n}}',
    ]) {
      const ofPage = piecesOf(content).map(({ text, placeholder }) =>
        placeholder === undefined ? text : { placeholder },
      )
      assert.deepEqual(ofPage, splitTemplate(content))
      assert.equal(
        piecesOf(content)
          .map(({ text }) => text)
          .join(''),
        content,
      )
    }
  })

  test('that are no inputs are told, and inputs that no message names', () => {
    const messages = [newMessage('system', '{{a}} {{b}}'), newMessage('user', '{{ b }}')]
    const inputs = [newField({ name: ' b' }), newField({ name: 'c' }), newField()]
    assert.deepEqual(checkPlaceholders({ messages, inputs }), { unknown: ['a'], unused: ['c'] })
  })
})

describe('what the service finds wrong', () => {
  for (const [message, path, words] of [
    ['invalid input: name is required', 'name', 'name: is required'],
    ['invalid input: slug taken already exists', 'slug', 'slug: taken already exists'],
    [
      'invalid input: output_schema[2].enum_values must contain at least one item',
      'output_schema[2].enum_values',
      'Answer 3, values: must contain at least one item',
    ],
    [
      'invalid input: config.messages[0].content is required',
      'messages[0].content',
      'Message 1, text: is required',
    ],
    [
      'invalid input: messages[1].content: {{x}} is not in input_schema; placeholders are named after its fields',
      'messages[1].content',
      'Message 2, text: {{x}} is no input',
    ],
    ['invalid input: config.llm_config.top_p must be at most 1', 'top_p', 'top p: must be at most 1'],
    ['An organization can have at most 5', '', 'An organization can have at most 5'],
  ] as const) {
    test(`is placed: ${message}`, () => {
      const fault = faultOf(message)
      assert.equal(fault.path, path)
      assert.equal(faultWords(fault), words)
    })
  }

  test('belongs to the part that holds it and to no other', () => {
    const fault = faultOf('invalid input: input_schema[1].name is required')
    assert.equal(messageAt(fault, 'input_schema[1]'), 'is required')
    assert.equal(messageAt(fault, 'input_schema[10]'), undefined)
    assert.equal(messageAt(fault, 'input_schema'), undefined)
    assert.equal(messageAt(fault, 'name'), undefined)
  })

  test('about a call names the input or the setting', () => {
    assert.deepEqual(placeOfFault('input.text is required'), {
      part: 'input',
      name: 'text',
      message: 'text is required',
    })
    assert.equal(placeOfFault('messages[0].content is required'), undefined)
  })
})

describe('two versions', () => {
  const change = (part: Partial<EvaluatorDetail>): string[] => changesBetween(STORED, { ...STORED, ...part })
  const { config, output_schema: outputs } = STORED

  test('of the same words are the same', () => assert.deepEqual(change({ name: 'Other' }), []))

  test('are told apart by what changed', () => {
    assert.deepEqual(
      change({
        config: {
          provider: 'anthropic',
          messages: [{ role: 'user', content: 'Other {{text}}.' }],
          llm_config: { model: 'tiny' },
        },
        output_schema: outputs.slice(1),
        input_schema: [
          ...STORED.input_schema,
          { name: 'topic', type: 'string', description: '', label: 'Topic' },
        ],
      }),
      [
        'model openai/tiny → anthropic/tiny',
        'prompt: message 1',
        'input topic added',
        'answer share removed',
        'how the model is called',
      ],
    )
    assert.deepEqual(change({ output_schema: outputs.toReversed() }), ['order of the answers'])
    assert.deepEqual(change({ config: { ...config, messages: [...config.messages, ...config.messages] } }), [
      'prompt: 2 messages instead of 1',
    ])
  })
})
