import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Answer } from '../support/call.ts'
import { startRestingService } from '../support/service.ts'
import {
  type Expected,
  type ModelBody,
  ModelProject,
  type ModelRule,
  type ModelSetup,
} from './setups-model.ts'

// More runs: ASSAY_PROPERTY_RUNS=1000 npm test -- tests/property/setups-property.test.ts
const RUNS = Number(process.env['ASSAY_PROPERTY_RUNS'] ?? 40)

const service = await startRestingService()

/** Two tenants use the same few external ids, so that every mix-up would show. */
interface Operation {
  readonly tenant: 0 | 1
  readonly name: 'create' | 'update' | 'bulk' | 'delete' | 'get' | 'list'
  readonly externalId: string
  readonly body: ModelBody
  readonly bodies: ModelBody[]
}

const externalId = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a', 'b', 'A', 'a/b', 'ä 👋', '100%', 'x?y#z', 'bulk') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).filter(isOrdinaryId) },
)
const slug = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('char-count', 'word-count', 'pii-detector', 'faithfulness') },
  { weight: 1, arbitrary: fc.constantFrom('hallucination', 'Char-Count', 'toString') },
)
const text = fc.oneof(
  fc.constantFrom('openai', 'gpt-4o', '', '4096'),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
)
const operator = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom(
      ...['equals', 'not_equals', 'contains', 'not_contains', 'exists', 'not_exists', 'in', 'not_in'],
    ),
  },
  { weight: 1, arbitrary: fc.constant('greater_than') },
)
const rule = fc.record(
  {
    key: fc.constantFrom('gen_ai.system', 'service.name', 'x'),
    source: fc.constantFrom('span_attributes', 'resource_attributes', 'span_attributes', 'attributes'),
    operator,
    value: text,
    values: fc.array(text, { maxLength: 3 }),
  },
  { requiredKeys: ['key', 'source'] },
)
const selectorMap = fc.dictionary(
  fc.constantFrom('gen_ai.system', 'service.name', 'telemetry.sdk.name', 'services.name'),
  fc.oneof(text, fc.integer(), fc.boolean(), fc.constantFrom(0.7, 1e21, -0)),
  { maxKeys: 3 },
)
const body: fc.Arbitrary<ModelBody> = fc.record(
  {
    external_id: externalId,
    evaluators: fc.array(slug, { maxLength: 3 }),
    evaluator_configs: fc.array(
      fc.record(
        { slug, scope: fc.constantFrom('span', 'trace', 'session', 'spans') },
        { requiredKeys: ['slug'] },
      ),
      { maxLength: 2 },
    ),
    selector: fc.oneof(fc.array(rule, { maxLength: 2 }), selectorMap),
    entity_type: text,
  },
  { requiredKeys: [] },
)
// Most bodies are meant to be good; the free ones above see to the rest.
const likelyBody: fc.Arbitrary<ModelBody> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      external_id: externalId,
      evaluators: fc.constant<string[]>(['char-count', 'word-count']),
    }),
  },
  { weight: 3, arbitrary: body },
)
const operation: fc.Arbitrary<Operation> = fc.record({
  tenant: fc.constantFrom(0, 1),
  name: fc.constantFrom('create', 'create', 'update', 'update', 'bulk', 'delete', 'get', 'list'),
  externalId,
  body: likelyBody,
  bodies: fc.array(likelyBody, { maxLength: 4 }),
})

test('random operations of two tenants agree with a simple model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 25 }), async (operations) => {
      const tenants = await Promise.all([newTenant(), newTenant()])
      for (const step of operations) {
        const tenant = tenants[step.tenant]
        const { answer, expected } = await run(step, tenant)
        assert.equal(answer.status, expected.status, `${step.name}: ${answer.text}`)
        if (expected.setups) assert.deepEqual(setupsIn(answer), expected.setups)
      }
      for (const tenant of tenants) {
        const listed = await service.call('GET', '/v2/auto-monitor-setups', { key: tenant.key })
        assert.deepEqual(setupsIn(listed), tenant.model.list().setups)
        for (const setup of listed.json) assert.equal(setup.org_id, tenant.orgId)
      }
    }),
    { numRuns: RUNS },
  )
})

interface Tenant {
  readonly key: string
  readonly orgId: string
  readonly model: ModelProject
}

async function newTenant(): Promise<Tenant> {
  const { json } = await service.call('POST', '/v2/organizations', { body: { org_name: 'Tenant' } })
  return { key: json.environments[0].api_key, orgId: json.org_id, model: new ModelProject() }
}

async function run(step: Operation, { key, model }: Tenant): Promise<{ answer: Answer; expected: Expected }> {
  const base = '/v2/auto-monitor-setups'
  const path = `${base}/${encodeURIComponent(step.externalId)}`
  switch (step.name) {
    case 'create':
      return {
        answer: await service.call('POST', base, { key, body: step.body }),
        expected: model.create(step.body),
      }
    case 'update': {
      const { external_id: _ignored, ...body } = step.body
      return {
        answer: await service.call('PUT', path, { key, body }),
        expected: model.update(step.externalId, body),
      }
    }
    case 'bulk':
      return {
        answer: await service.call('POST', `${base}/bulk`, { key, body: { setups: step.bodies } }),
        expected: model.bulk(step.bodies),
      }
    case 'delete':
      return { answer: await service.call('DELETE', path, { key }), expected: model.delete(step.externalId) }
    case 'get':
      return { answer: await service.call('GET', path, { key }), expected: model.get(step.externalId) }
    case 'list':
      return { answer: await service.call('GET', base, { key }), expected: model.list() }
  }
}

/** The setups of an answer of any of the operations, reduced to what the model knows. */
function setupsIn(answer: Answer): ModelSetup[] {
  const setups = Array.isArray(answer.json) ? answer.json : (answer.json.setups ?? [answer.json])
  return setups.map((setup: WireSetup) => {
    assert.equal(setup.status, 'pending')
    assert.ok(setup.evaluators.every(({ status }) => status === 'pending'))
    return {
      external_id: setup.external_id,
      evaluators: setup.evaluators.map(({ evaluator_type }) => evaluator_type),
      scopes: Object.fromEntries(
        setup.evaluators.flatMap(({ evaluator_type, scope }) => (scope ? [[evaluator_type, scope]] : [])),
      ),
      rules: setup.init_rules.map(({ op, ...stored }) => {
        assert.equal(op, stored.operator)
        return stored
      }),
      entity_type: setup.entity_type,
    }
  })
}

interface WireSetup {
  external_id: string
  status: string
  entity_type: string
  evaluators: { evaluator_type: string; status: string; scope?: string }[]
  init_rules: (ModelRule & { op: string })[]
}

// U+0000 is refused, and `.` and `..` are eaten by every URL parser on the client's side.
function isOrdinaryId(id: string): boolean {
  return id !== '.' && id !== '..' && !id.includes('\0') && id.isWellFormed()
}
