import assert from 'node:assert/strict'
import { test } from 'node:test'
import { costWords, matchWords, trialWords } from '../../dashboard/src/pages/setups/dry-run-words.ts'
import { nameItem, planImport } from '../../dashboard/src/pages/setups/plan-import.ts'
import { readDefinition, readJson } from '../../dashboard/src/pages/setups/read-definition.ts'
import { ruleWords } from '../../dashboard/src/pages/setups/rule-words.ts'
import {
  type Definition,
  definitionOf,
  type Setup,
} from '../../dashboard/src/pages/setups/setup-definition.ts'
import { definitionOfDraft, draftOf, withoutDefaults } from '../../dashboard/src/pages/setups/setup-draft.ts'
import { faultWords, placeFault } from '../../dashboard/src/pages/setups/setup-faults.ts'
import { bindingErrorWords } from '../../dashboard/src/pages/setups/setup-status-words.ts'
import type { DryRun, Trial } from '../../dashboard/src/pages/setups/use-dry-run.ts'

const DEFINITION: Definition = {
  external_id: 'support',
  entity_type: 'team',
  selector: [
    {
      source: 'span_attributes',
      key: 'gen_ai.request.max_tokens',
      operator: 'equals',
      value: '7',
      value_type: 'number',
    },
    { source: 'resource_attributes', key: 'service.name', operator: 'in', values: ['a', 'b'] },
    { source: 'span_attributes', key: 'x', operator: 'not_exists' },
  ],
  evaluators: ['char-count', 'pii-detector'],
  evaluator_configs: [
    {
      slug: 'pii-detector',
      scope: 'trace',
      config: { probability_threshold: 0.4 },
      mapping: { text: { source: 'span_attributes', key: 'answer', json_path: '0.text' } },
      sampling_rate: 0.25,
      verdict_threshold: 0,
    },
  ],
}

function stored(definition: Definition): Setup {
  return {
    id: definition.external_id,
    external_id: definition.external_id,
    org_id: '',
    project_id: '',
    env_project_id: '',
    entity_type: definition.entity_type ?? '',
    entity_value: '',
    init_rules: definition.selector.map((rule) => ({
      ...rule,
      operator: rule.operator ?? 'equals',
      op: rule.operator ?? 'equals',
      value_type: rule.value_type === 'number' ? 'number' : 'string',
    })),
    evaluators: definition.evaluators.map((evaluator_type) => ({
      evaluator_type,
      evaluator_id: '',
      status: 'completed',
      input_schema: [],
      output_schema: [],
    })),
    evaluator_configs: [...definition.evaluator_configs],
    status: 'completed',
    created_at: '2026-11-15T00:00:00Z',
    updated_at: '2026-11-15T00:00:00Z',
  }
}

test('a stored setup goes through the form and comes out as it was', () => {
  assert.deepEqual(definitionOf(stored(DEFINITION)), DEFINITION)
  assert.deepEqual(definitionOfDraft(draftOf(DEFINITION)), DEFINITION)
})

test('a threshold of zero stays when something else about the evaluator changes, and goes when it is emptied', () => {
  const override = { slug: 'perplexity', verdict_threshold: 0, scope: 'span' } as const
  assert.deepEqual(withoutDefaults(override), override)
  assert.deepEqual(withoutDefaults({ slug: 'perplexity', config: {} }), { slug: 'perplexity' })
})

test('the JSON view reads what it shows', () => {
  assert.deepEqual(readJson(JSON.stringify(DEFINITION)), { value: DEFINITION })
})

test('a selector that is a map becomes rules as the service makes them', () => {
  const read = readDefinition({
    external_id: 'm',
    evaluators: ['char-count'],
    selector: { 'service.name': 'a', n: 1 },
  })
  assert.ok('value' in read)
  assert.deepEqual(read.value.selector, [
    { source: 'resource_attributes', key: 'service.name', operator: 'equals', value: 'a' },
    { source: 'span_attributes', key: 'n', operator: 'equals', value: '1', value_type: 'number' },
  ])
})

test('what cannot be read is said in words', () => {
  for (const [text, words] of [
    ['{', /not valid JSON/],
    ['[]', /is an object/],
    ['{"evaluator": []}', /no field "evaluator"/],
    ['{"selector": [{"source": "span_attributes"}]}', /Rule 1 has no key/],
    ['{"selector": [{"key": "k"}]}', /Rule 1 needs a source/],
    [
      '{"evaluator_configs": [{"slug": "a", "verdict_threshold": "0.8"}]}',
      /a: verdict_threshold must be a number/,
    ],
  ] as const) {
    const read = readJson(text)
    assert.ok('fault' in read, text)
    assert.match(read.fault, words)
  }
})

test('a message of the service is placed at the field that it names', () => {
  for (const [message, place, words] of [
    [
      'invalid input: selector[1]: value is required when operator is equals',
      { kind: 'rule', at: 1, field: 'value' },
      /^value is required/,
    ],
    ['invalid input: external_id support already exists', { kind: 'name' }, /already exists/],
    ['evaluators must contain at least one item', { kind: 'evaluators' }, /at least one/],
    [
      'evaluators[1]: unknown evaluator slug pii-detector',
      { kind: 'evaluator', slug: 'pii-detector' },
      /^unknown/,
    ],
    [
      'evaluator_configs[0].config.probability_threshold must be at most 1',
      { kind: 'evaluator', slug: 'pii-detector', part: 'config.probability_threshold' },
      /^probability_threshold must be/,
    ],
    ['something else', { kind: 'whole' }, /^something else$/],
  ] as const) {
    const fault = placeFault(message, DEFINITION)
    assert.deepEqual(fault.place, place)
    assert.match(fault.message, words)
    if (fault.place.kind === 'rule') assert.match(faultWords(fault), /^Rule 2: value/)
  }
})

test('an import tells what it creates, changes and leaves alone', () => {
  const changed = { ...DEFINITION, evaluator_configs: [] }
  const items = [
    { ...DEFINITION, external_id: 'new' },
    changed,
    { external_id: 'other', evaluators: ['word-count'] },
    { external_id: 'other', evaluators: [] },
    { evaluators: ['char-count'] },
  ]
  const other = { external_id: 'other', selector: [], evaluators: ['word-count'], evaluator_configs: [] }
  const plan = planImport(items, [stored(DEFINITION), stored(other)])
  assert.deepEqual(
    plan.map(({ effect }) => effect),
    ['create', 'change', 'same', 'faulty', 'faulty'],
  )
  assert.match(plan[3]?.fault ?? '', /Item 3/)
})

test('an item that leaves fields out changes nothing about them', () => {
  const [item] = planImport(
    [{ external_id: 'support', evaluators: DEFINITION.evaluators }],
    [stored(DEFINITION)],
  )
  assert.equal(item?.effect, 'same')
})

test('a refusal names the item of the file, not of the slice', () => {
  const slice = [{ at: 100 }, { at: 103 }]
  assert.deepEqual(nameItem('setups[1]: evaluators[0]: unknown evaluator slug x', slice), {
    message: 'Item 104: evaluators[0]: unknown evaluator slug x',
    faultAt: 103,
  })
  assert.deepEqual(nameItem('another thing', slice), { message: 'another thing' })
})

const TRIAL: Trial = {
  evaluator_type: 'faithfulness',
  sampling_rate: 1,
  scope: 'span',
  checked: 500,
  inputs: [],
}

test('a dry run is told in sentences', () => {
  const run = {
    matched: 132,
    looked: { spans: 1_000, batches: 1, from: '', complete: false },
  } as unknown as DryRun
  assert.equal(matchWords(run, 'Last 24 hours'), 'Matches 132 of the last 1,000 spans.')
  const missing = trialWords({ ...TRIAL, missing_inputs: { context: 60, question: 0 } })
  assert.deepEqual(missing.lines, ['context is missing in 12% of 500 spans'])
  assert.equal(trialWords({ ...TRIAL, error_message: 'no' }).label, 'Cannot start')
})

test('what is not known to cost something is never told as 0', () => {
  const perDay = {
    evaluations: 1,
    judge_calls: 1,
    prompt_tokens: 1,
    completion_tokens: 1,
    basis: 'recent_evaluations' as const,
  }
  assert.equal(costWords([TRIAL]), undefined)
  const judged = { ...TRIAL, judge: 'openai/gpt-4o' }
  assert.equal(costWords([judged]), 'The daily cost of the judges is not known.')
  assert.equal(
    costWords([{ ...judged, per_day: { ...perDay, cost_usd: 0.4 } }]),
    'About $0.40 a day for judges.',
  )
  assert.match(
    costWords([judged, { ...judged, per_day: { ...perDay, cost_usd: 0.4 } }]) ?? '',
    /one more judge whose cost is not known/,
  )
})

test('rules are said as people say them', () => {
  assert.deepEqual(DEFINITION.selector.map(ruleWords), [
    'gen_ai.request.max_tokens is “7”',
    'service.name is one of “a”, “b”',
    'x is absent',
  ])
})

test('why an evaluator cannot start is said without the body of a request', () => {
  const given =
    'input reference cannot be taken from a span: map it in evaluator_configs[].mapping, for example {"reference": ' +
    '{"source": "span_attributes", "key": "..."}}'
  assert.equal(
    bindingErrorWords(given),
    'input reference cannot be taken from a span: say where it comes from',
  )
  const settings =
    'config.conditions is required: give it in evaluator_configs[].config, for example {"conditions": ["a"]}; ' +
    'config.threshold is required: give it in evaluator_configs[].config, for example {"threshold": 1}'
  assert.equal(bindingErrorWords(settings), 'config.conditions is required; config.threshold is required')
})
