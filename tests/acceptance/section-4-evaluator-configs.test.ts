import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRestingService } from '../support/service.ts'
import { assertError, createSetup, entriesOf, readSetup, SETUPS, setupPath } from './setup-calls.ts'

const service = await startRestingService()
let counter = 0

const created = async (body: object) =>
  entriesOf(
    (await service.call('POST', SETUPS, { body: { external_id: `configs-${counter++}`, ...body } })).json,
  )

/** The same fault in create, update and bulk: one message, behind the prefix of each. */
async function refused(configs: unknown, message: RegExp) {
  const externalId = `refused-${counter++}`
  const body = { evaluators: ['char-count'], evaluator_configs: configs }
  const create = await service.call('POST', SETUPS, { body: { external_id: externalId, ...body } })
  assertError(create, 400, new RegExp(`^invalid input: ${message.source}`))
  const before = await createSetup(service, { external_id: externalId })
  const put = await service.call('PUT', setupPath(externalId), { body })
  assertError(put, 400, new RegExp(`^invalid input: ${message.source}`))
  const setups = [
    { external_id: `${externalId}-new`, evaluators: ['char-count'] },
    { external_id: externalId, ...body },
  ]
  const bulk = await service.call('POST', `${SETUPS}/bulk`, { body: { setups } })
  assertError(bulk, 400, new RegExp(`^setups\\[1\\]: ${message.source}`))
  assert.deepEqual(await readSetup(service, externalId), before)
}

test('201 overrides the entry of its slug and keeps the order of evaluators', async () => {
  assert.deepEqual(
    await created({
      evaluators: ['char-count', 'pii-detector'],
      evaluator_configs: [{ slug: 'char-count', scope: 'trace' }],
    }),
    ['char-count@trace', 'pii-detector'],
  )
})

test('201 adds the entry of a slug that is not listed', async () => {
  assert.deepEqual(
    await created({
      evaluators: ['char-count'],
      evaluator_configs: [{ slug: 'faithfulness', scope: 'session' }, { slug: 'word-count' }],
    }),
    ['char-count', 'faithfulness@session', 'word-count'],
  )
})

test('201 takes evaluator_configs alone', async () => {
  assert.deepEqual(await created({ evaluator_configs: [{ slug: 'pii-detector', scope: 'span' }] }), [
    'pii-detector@span',
  ])
})

test('200 takes evaluator_configs alone in bulk', async () => {
  const setups = [
    { external_id: 'bulk-alone', evaluator_configs: [{ slug: 'pii-detector', scope: 'trace' }] },
  ]
  const answer = await service.call('POST', `${SETUPS}/bulk`, { body: { setups } })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(entriesOf(answer.json.setups[0]), ['pii-detector@trace'])
})

for (const scope of ['span', 'trace', 'session']) {
  test(`201 takes the scope ${scope}`, async () => {
    assert.deepEqual(await created({ evaluator_configs: [{ slug: 'char-count', scope }] }), [
      `char-count@${scope}`,
    ])
  })
}

test('201 leaves the scope out when none is given', async () => {
  const setup = await createSetup(service, {
    external_id: 'no-scope',
    evaluator_configs: [{ slug: 'char-count' }],
  })
  assert.equal('scope' in setup.evaluators[0], false)
})

test('201 gives a configured entry its schemas and its status', async () => {
  const plain = await createSetup(service, { external_id: 'plain', evaluators: ['char-count'] })
  const body = { external_id: 'configured', evaluator_configs: [{ slug: 'char-count', scope: 'span' }] }
  const { json } = await service.call('POST', SETUPS, { body })
  assert.deepEqual(json.evaluators, [{ ...plain.evaluators[0], scope: 'span' }])
})

test('200 replaces the configs on PUT', async () => {
  await createSetup(service, {
    external_id: 'put',
    evaluator_configs: [{ slug: 'char-count', scope: 'trace' }],
  })
  const body = { evaluators: ['char-count'], evaluator_configs: [{ slug: 'char-count', scope: 'session' }] }
  const answer = await service.call('PUT', setupPath('put'), { body })
  assert.deepEqual(entriesOf(answer.json), ['char-count@session'])
})

test('200 for {} keeps the configs', async () => {
  const before = await createSetup(service, {
    external_id: 'kept',
    evaluators: ['char-count', 'pii-detector'],
    evaluator_configs: [{ slug: 'pii-detector', scope: 'trace' }],
  })
  const answer = await service.call('PUT', setupPath('kept'), { body: {} })
  assert.deepEqual(answer.json.evaluators, before.evaluators)
})

test('201 takes config, mapping and sampling_rate that fit', async () => {
  await createSetup(service, {
    external_id: 'everything',
    evaluator_configs: [
      { slug: 'pii-detector', config: { probability_threshold: 0.4 }, sampling_rate: 0.25 },
      { slug: 'char-count', sampling_rate: 1, mapping: { text: { field: 'completion' } } },
      {
        slug: 'word-count',
        mapping: {
          text: { source: 'span_attributes', key: 'output.value', json_path: '0.text', regex: '(.+)' },
        },
      },
      { slug: 'agent-flow-quality', config: { conditions: ['is polite'], threshold: 0.5 } },
    ],
  })
})

test('201 ignores unknown fields of a config', async () => {
  assert.deepEqual(await created({ evaluator_configs: [{ slug: 'char-count', colour: 'red' }] }), [
    'char-count',
  ])
})

test('400 when there is neither evaluators nor a config', async () => {
  for (const rest of [
    {},
    { evaluator_configs: [] },
    { evaluators: [] },
    { evaluators: [], evaluator_configs: [] },
  ]) {
    const answer = await service.call('POST', SETUPS, { body: { external_id: 'neither', ...rest } })
    assertError(answer, 400, /^invalid input: .*evaluators/)
  }
})

test('400 for a slug that is configured twice', () =>
  refused(
    [{ slug: 'char-count', scope: 'span' }, { slug: 'word-count' }, { slug: 'char-count', scope: 'span' }],
    /evaluator_configs\[2\].*char-count/,
  ))

test('400 for an unknown slug names the config', () =>
  refused([{ slug: 'char-count' }, { slug: 'nope' }], /evaluator_configs\[1\].*unknown evaluator slug nope$/))

test('400 lists the allowed scopes', () =>
  refused([{ slug: 'char-count', scope: 'project' }], /evaluator_configs\[0\]\.scope must be one of .*span/))

for (const [name, configs, place] of [
  ['no slug', [{ scope: 'span' }], /evaluator_configs\[0\]/],
  ['a slug that is a number', [{ slug: 1 }], /evaluator_configs\[0\]/],
  ['a slug that is null', [{ slug: null }], /evaluator_configs\[0\]\.slug is required/],
  ['an element that is a string', ['char-count'], /evaluator_configs\[0\]/],
  ['an element that is null', [null], /evaluator_configs\[0\]/],
  ['an object in place of the array', { slug: 'char-count' }, /evaluator_configs/],
  ['a config that is a string', [{ slug: 'pii-detector', config: 'x' }], /evaluator_configs\[0\]\.config/],
  [
    'a config value of a wrong type',
    [{ slug: 'pii-detector', config: { probability_threshold: '0.8' } }],
    /evaluator_configs\[0\]\.config\.probability_threshold/,
  ],
  [
    'a threshold beyond 1',
    [{ slug: 'agent-flow-quality', config: { conditions: ['x'], threshold: 1.1 } }],
    /evaluator_configs\[0\]\.config\.threshold/,
  ],
  [
    'conditions that are a string',
    [{ slug: 'agent-flow-quality', config: { conditions: 'x', threshold: 0.5 } }],
    /evaluator_configs\[0\]\.config\.conditions/,
  ],
  [
    'a sampling_rate beyond 1',
    [{ slug: 'char-count', sampling_rate: 1.01 }],
    /evaluator_configs\[0\]\.sampling_rate/,
  ],
  [
    'a negative sampling_rate',
    [{ slug: 'char-count', sampling_rate: -0.1 }],
    /evaluator_configs\[0\]\.sampling_rate/,
  ],
  [
    'a sampling_rate in text',
    [{ slug: 'char-count', sampling_rate: '1' }],
    /evaluator_configs\[0\]\.sampling_rate/,
  ],
  ['a mapping that is an array', [{ slug: 'char-count', mapping: [] }], /evaluator_configs\[0\]\.mapping/],
  [
    'a mapping of an input that the evaluator does not have',
    [{ slug: 'char-count', mapping: { question: { field: 'prompt' } } }],
    /evaluator_configs\[0\]\.mapping\.question/,
  ],
  [
    'a mapping from an unknown field',
    [{ slug: 'char-count', mapping: { text: { field: 'nope' } } }],
    /evaluator_configs\[0\]\.mapping\.text/,
  ],
  [
    'a mapping from an unknown source',
    [{ slug: 'char-count', mapping: { text: { source: 'events', key: 'k' } } }],
    /evaluator_configs\[0\]\.mapping\.text/,
  ],
  [
    'a mapping from nowhere',
    [{ slug: 'char-count', mapping: { text: {} } }],
    /evaluator_configs\[0\]\.mapping\.text/,
  ],
  [
    'a mapping with a path that leads nowhere',
    [{ slug: 'char-count', mapping: { text: { field: 'completion', json_path: 'a..b' } } }],
    /evaluator_configs\[0\]\.mapping\.text\.json_path is not a path/,
  ],
  [
    'a mapping with a regex that does not compile',
    [{ slug: 'char-count', mapping: { text: { field: 'completion', regex: '(' } } }],
    /evaluator_configs\[0\]\.mapping\.text\.regex/,
  ],
] as const) {
  test(`400 for ${name}`, () => refused(configs, place))
}
