import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRestingService } from '../support/service.ts'
import { assertError, createSetup, readSetup, SETUPS } from './setup-calls.ts'

const service = await startRestingService()
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const CUID2 = /^[a-z][0-9a-z]{23,31}$/
const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/

let counter = 0
async function rulesOf(selector: unknown) {
  return (await createSetup(service, { external_id: `rules-${counter++}`, selector })).init_rules
}
async function refused(selector: unknown, message: string | RegExp) {
  const body = { external_id: `refused-${counter++}`, evaluators: ['char-count'], selector }
  assertError(await service.call('POST', SETUPS, { body }), 400, message)
}
const span = { source: 'span_attributes' }

test('201 has every field of a setup and no other', async () => {
  const setup = await createSetup(service, {
    external_id: 'fields',
    selector: [{ key: 'gen_ai.system', value: 'openai', source: 'span_attributes' }],
    entity_type: 'agent',
    entity_value: 'planner',
  })
  assert.deepEqual(
    Object.keys(setup).sort(),
    [
      'created_at',
      'entity_type',
      'entity_value',
      'env_project_id',
      'evaluators',
      'external_id',
      'id',
      'init_rules',
      'org_id',
      'project_id',
      'status',
      'updated_at',
    ].sort(),
  )
  assert.equal(setup.external_id, 'fields')
  assert.equal(setup.entity_type, 'agent')
  assert.equal(setup.entity_value, 'planner')
  assert.equal(setup.status, 'pending')
})

test('200 reads the same object that 201 answered', async () => {
  const created = await createSetup(service, { external_id: 'same', selector: { a: 1 }, entity_type: 'x' })
  assert.deepEqual(await readSetup(service, 'same'), created)
  const list = await service.call('GET', `${SETUPS}?external_id=same`)
  assert.deepEqual(list.json, [created])
})

test('201 without entity fields echoes empty strings', async () => {
  const setup = await createSetup(service, { external_id: 'no-entity' })
  assert.equal(setup.entity_type, '')
  assert.equal(setup.entity_value, '')
})

test('201 gives sortable ids and ISO 8601 UTC times', async () => {
  const before = Date.now()
  const setups = []
  for (let n = 0; n < 20; n++) setups.push(await createSetup(service, { external_id: `ids-${n}` }))
  const ids = setups.map(({ id }) => id as string)
  assert.equal(new Set(ids).size, 20)
  assert.deepEqual(ids.toSorted(), ids)
  for (const setup of setups) {
    for (const id of [setup.id, setup.org_id, setup.project_id, setup.env_project_id]) {
      assert.ok(UUID_V7.test(id) || CUID2.test(id), `${id} is a UUIDv7 or a cuid2`)
    }
    assert.match(setup.created_at, ISO_UTC)
    assert.match(setup.updated_at, ISO_UTC)
    assert.ok(
      Date.parse(setup.created_at) >= before - 1000 && Date.parse(setup.created_at) <= Date.now() + 1000,
    )
    assert.equal(setup.updated_at, setup.created_at)
  }
  const ends = ids.map((id) => id.slice(-12))
  assert.equal(new Set(ends).size, 20, 'the end of an id does not follow from another id')
})

test('201 leaves unknown entry fields out and has no null anywhere', async () => {
  const setup = await createSetup(service, { external_id: 'left-out', selector: { a: true } })
  assert.doesNotMatch(JSON.stringify(setup), /null/)
  for (const entry of setup.evaluators) {
    assert.deepEqual(Object.keys(entry).sort(), [
      'evaluator_id',
      'evaluator_type',
      'input_schema',
      'output_schema',
      'status',
    ])
  }
})

test('201 stores a rule with operator, the same op, and value_type string', async () => {
  assert.deepEqual(await rulesOf([{ key: 'gen_ai.system', value: 'openai', ...span }]), [
    {
      key: 'gen_ai.system',
      operator: 'equals',
      op: 'equals',
      value: 'openai',
      ...span,
      value_type: 'string',
    },
  ])
})

for (const operator of ['equals', 'not_equals', 'contains', 'not_contains']) {
  test(`201 stores ${operator} with its value and without values`, async () => {
    const [rule] = await rulesOf([{ key: 'k', value: 'v', source: 'resource_attributes', operator }])
    assert.deepEqual(rule, {
      key: 'k',
      operator,
      op: operator,
      value: 'v',
      source: 'resource_attributes',
      value_type: 'string',
    })
  })
  test(`400 asks for the value of ${operator}`, () =>
    refused(
      [
        { key: 'k', operator: 'exists', ...span },
        { key: 'k', operator, ...span },
      ],
      `invalid input: selector[1]: value is required when operator is ${operator}`,
    ))
}

for (const operator of ['in', 'not_in']) {
  test(`201 stores ${operator} with its values and without value`, async () => {
    const [rule] = await rulesOf([{ key: 'k', values: ['a', 'b'], operator, ...span }])
    assert.deepEqual(rule, {
      key: 'k',
      operator,
      op: operator,
      values: ['a', 'b'],
      ...span,
      value_type: 'string',
    })
  })
  test(`400 asks for the values of ${operator}`, () =>
    refused(
      [{ key: 'k', operator, value: 'x', ...span }],
      `invalid input: selector[0]: values is required when operator is ${operator}`,
    ))
  test(`400 asks for at least one entry in the values of ${operator}`, () =>
    refused([{ key: 'k', operator, values: [], ...span }], /^invalid input: selector\[0\]: values /))
}

for (const operator of ['exists', 'not_exists']) {
  test(`201 stores ${operator} without a value`, async () => {
    const [rule] = await rulesOf([{ key: 'k', operator, ...span }])
    assert.deepEqual(rule, { key: 'k', operator, op: operator, ...span, value_type: 'string' })
  })
}

test('201 keeps the order of rules, an empty value and Unicode', async () => {
  const rules = await rulesOf([
    { key: 'b', value: '', ...span },
    { key: 'ä 😀', value: '日本', ...span },
    { key: 'b', operator: 'exists', ...span },
  ])
  assert.deepEqual(
    rules.map((rule: { key: string; value?: string }) => [rule.key, rule.value]),
    [
      ['b', ''],
      ['ä 😀', '日本'],
      ['b', undefined],
    ],
  )
})

test('201 takes op as another name of operator', async () => {
  const [rule] = await rulesOf([{ key: 'k', op: 'contains', value: 'v', ...span }])
  assert.equal(rule.operator, 'contains')
  assert.equal(rule.op, 'contains')
  const [both] = await rulesOf([{ key: 'k', op: 'exists', operator: 'exists', ...span }])
  assert.equal(both.operator, 'exists')
})

test('400 when op and operator differ', () =>
  refused(
    [{ key: 'k', op: 'exists', operator: 'equals', value: 'v', ...span }],
    /^invalid input: selector\[0\]: /,
  ))

test('201 ignores unknown fields of a rule', async () => {
  const [rule] = await rulesOf([{ key: 'k', value: 'v', colour: 'red', ...span }])
  assert.equal('colour' in rule, false)
})

test('201 takes what it answered as init_rules as a selector again', async () => {
  const rules = await rulesOf([
    { key: 'k', value: 'v', ...span },
    { key: 'l', operator: 'in', values: ['v'], source: 'resource_attributes' },
  ])
  assert.deepEqual(await rulesOf(rules), rules)
})

for (const [name, selector] of [
  ['no selector', undefined],
  ['an empty array', []],
  ['an empty map', {}],
] as const) {
  test(`201 stores no rules for ${name}`, async () => assert.deepEqual(await rulesOf(selector), []))
}

test('201 turns a map into equals rules whose values are text of a known type', async () => {
  const rules = await rulesOf({
    'gen_ai.system': 'openai',
    'gen_ai.request.max_tokens': 4096,
    'gen_ai.request.temperature': 0.7,
    'llm.is_streaming': true,
    cached: false,
    negative: -3,
  })
  const equals = { operator: 'equals', op: 'equals', ...span }
  assert.deepEqual(rules, [
    { key: 'gen_ai.system', value: 'openai', value_type: 'string', ...equals },
    { key: 'gen_ai.request.max_tokens', value: '4096', value_type: 'number', ...equals },
    { key: 'gen_ai.request.temperature', value: '0.7', value_type: 'number', ...equals },
    { key: 'llm.is_streaming', value: 'true', value_type: 'boolean', ...equals },
    { key: 'cached', value: 'false', value_type: 'boolean', ...equals },
    { key: 'negative', value: '-3', value_type: 'number', ...equals },
  ])
})

for (const [key, source] of [
  ['service.name', 'resource_attributes'],
  ['host.arch', 'resource_attributes'],
  ['process.pid', 'resource_attributes'],
  ['telemetry.sdk.language', 'resource_attributes'],
  ['deployment.environment', 'resource_attributes'],
  ['service', 'span_attributes'],
  ['services.name', 'span_attributes'],
  ['my.service.name', 'span_attributes'],
  ['Service.name', 'span_attributes'],
  ['hostname', 'span_attributes'],
] as const) {
  test(`201 looks for the map key ${key} in ${source}`, async () => {
    const [rule] = await rulesOf({ [key]: 'x' })
    assert.equal(rule.key, key)
    assert.equal(rule.source, source)
  })
}

test('400 names the rule without a key', () =>
  refused([{ value: 'v', ...span }], 'invalid input: selector[0]: key is required'))

test('400 names the rule without a source', () =>
  refused([{ key: 'k', value: 'v' }], /^invalid input: selector\[0\]: source /))

test('400 lists the allowed sources', () =>
  refused(
    [{ key: 'k', value: 'v', source: 'events' }],
    'invalid input: selector[0]: source must be one of span_attributes, resource_attributes',
  ))

test('400 lists the allowed operators', () =>
  refused(
    [{ key: 'k', value: 'v', operator: 'greater_than', ...span }],
    /^invalid input: selector\[0\]: operator must be one of .*equals.*not_in/,
  ))

for (const [name, selector] of [
  ['a string', 'gen_ai.system=openai'],
  ['a number', 4],
  ['an array of strings', ['gen_ai.system']],
  ['an array of null', [null]],
  ['a nested array', [[]]],
  ['a key that is a number', [{ key: 1, value: 'v', ...span }]],
  ['an empty key', [{ key: '', value: 'v', ...span }]],
  ['a value that is a number', [{ key: 'k', value: 1, ...span }]],
  ['values that are a string', [{ key: 'k', operator: 'in', values: 'v', ...span }]],
  ['values that hold a number', [{ key: 'k', operator: 'in', values: [1], ...span }]],
  ['a key that is null', [{ key: null, value: 'v', ...span }]],
  ['a value that is null', [{ key: 'k', value: null, ...span }]],
  ['a map to null', { a: null }],
  ['a map to an array', { a: ['x'] }],
  ['a map to an object', { a: {} }],
] as const) {
  test(`400 refuses ${name} in the selector`, () => refused(selector, /^invalid input: selector/))
}

test('400 for a number in a selector map that could not be kept exactly, and for an empty key', async () => {
  for (const [selector, message] of [
    ['{"a":12345678901234567890}', 'selector.a is too large to be kept exactly; give it as a string'],
    ['{"":"x"}', 'selector must not contain an empty key'],
  ] as const) {
    const body = `{"external_id":"exact","evaluators":["char-count"],"selector":${selector}}`
    const answer = await service.call('POST', '/v2/auto-monitor-setups', { body })
    assert.deepEqual([answer.status, answer.json], [400, { error: `invalid input: ${message}` }])
  }
})
