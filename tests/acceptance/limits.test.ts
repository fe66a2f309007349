import assert from 'node:assert/strict'
import http2 from 'node:http2'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeSpans, testId } from '../otlp/encode-traces.ts'
import { framed, grpcCall, TRACES } from '../support/grpc-call.ts'
import { startRestingService, startService, type TestService } from '../support/service.ts'
import { SETUPS } from './setup-calls.ts'

const PROTOBUF = { 'content-type': 'application/x-protobuf' }
/** Many more than a bucket of one a second holds and than refill while they are on their way, also on a busy machine. */
const MANY = 300

/** For whatever needs no settings of its own. */
const shared = await startRestingService()

interface Tenant {
  readonly orgId: string
  readonly key: string
}

async function newTenant(service: TestService, name: string, limits: object = {}): Promise<Tenant> {
  const made = await service.call('POST', '/v2/organizations', { body: { org_name: name } })
  assert.equal(made.status, 201)
  const tenant = { orgId: made.json.org_id as string, key: made.json.environments[0].api_key as string }
  const set = await service.call('PUT', `/v2/organizations/${tenant.orgId}/limits`, { body: limits })
  assert.equal(set.status, 200, set.text)
  return tenant
}

let spans = 0
function someSpans(count: number): Buffer {
  return encodeSpans(
    ...Array.from({ length: count }, () => {
      const at = ++spans
      const startUnixNano = BigInt(Date.now()) * 1_000_000n
      return { traceId: testId(16, at), spanId: testId(8, at), startUnixNano, attributes: {} }
    }),
  )
}

const send = (service: TestService, key: string, count = 1) =>
  service.call('POST', '/v1/traces', { key, body: someSpans(count), headers: PROTOBUF })

const setup = (externalId: string) => ({
  ...{ external_id: externalId, evaluators: ['char-count'], selector: { 'gen_ai.system': 'openai' } },
})

async function limitOf(service: TestService, key: string, name: string) {
  const { json } = await service.call('GET', '/v2/limits', { key })
  return json.limits.find((limit: { name: string }) => limit.name === name)
}

describe('requests of a key', () => {
  test('429 with RateLimit headers and Retry-After when there are too many; other keys are served', async () => {
    const service = await startRestingService()
    const busy = await newTenant(service, 'busy', { requests_per_second: 1 })
    const quiet = await newTenant(service, 'quiet')
    const answers = await Promise.all(
      Array.from({ length: MANY }, () => service.call('GET', SETUPS, { key: busy.key })),
    )
    const taken = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status === 429)
    assert.ok(taken.length >= 10 && refused.length > 0)
    assert.equal(taken.length + refused.length, MANY)
    for (const { headers } of taken) {
      assert.equal(headers.get('ratelimit-policy'), '"requests";q=10;w=10')
      assert.match(headers.get('ratelimit') ?? '', /^"requests";r=\d+;t=\d+$/)
    }
    for (const { headers, json } of refused) {
      assert.match(headers.get('ratelimit') ?? '', /^"requests";r=0;t=1$/)
      assert.equal(headers.get('retry-after'), '1')
      assert.match(json.error, /may send 1 requests a second; .* raise requests_per_second$/)
    }
    const others = await Promise.all(
      Array.from({ length: MANY }, () => service.call('GET', SETUPS, { key: quiet.key })),
    )
    assert.ok(others.every(({ status }) => status === 200))
    const metrics = (await service.call('GET', '/metrics')).text
    assert.match(
      metrics,
      new RegExp(`assay_limit_refusals_total{limit="requests_per_second"} ${refused.length}\\b`),
    )
  })

  test('public routes have no limit', async () => {
    const service = await startRestingService({ ASSAY_LIMIT_REQUESTS_PER_SECOND: '1' })
    const answers = await Promise.all(Array.from({ length: MANY }, () => service.call('GET', '/healthz')))
    assert.ok(answers.every(({ status, headers }) => status === 200 && !headers.has('ratelimit')))
  })
})

describe('spans of a key', () => {
  test('429 after a request that exceeded the rate, which itself is stored', async () => {
    const service = await startRestingService()
    const { key } = await newTenant(service, 'sender', { spans_per_second: 1 })
    const first = await send(service, key, 1_000)
    assert.equal(first.status, 200)
    assert.match(first.headers.get('ratelimit-policy') ?? '', /, "spans";q=10;qu="spans";w=10$/)
    const second = await send(service, key)
    assert.equal(second.status, 429)
    const seconds = Number(second.headers.get('retry-after'))
    assert.ok(seconds > 100 && seconds <= 991, String(seconds))
    assert.equal((await service.call('GET', SETUPS, { key })).status, 200)
  })

  test('gRPC: RESOURCE_EXHAUSTED with a time to wait', async () => {
    const service = await startService({ ASSAY_LIMIT_SPANS_PER_SECOND: '1' }, { withGrpc: true })
    const session = http2.connect(`http://${service.grpcAddress}`)
    after(() => session.destroy())
    const call = () => grpcCall(session, TRACES, { parts: [framed(someSpans(1_000))] })
    assert.equal((await call()).status, 0)
    const refused = await call()
    assert.equal(refused.status, 8)
    assert.ok(refused.headers['grpc-status-details-bin'])
    assert.match(refused.errorMessage ?? '', /raise spans_per_second/)
  })
})

describe('stored bytes', () => {
  test('403 to spans of an organization that is full, and to nobody else; deleting makes room', async () => {
    const service = await startService({}, { withGrpc: true })
    const full = await newTenant(service, 'full', { stored_bytes: 1 })
    const other = await newTenant(service, 'other', { stored_bytes: 1_000_000 })
    assert.equal((await send(service, full.key)).status, 200)
    const refused = await until(
      () => send(service, full.key),
      ({ status }) => status === 403,
    )
    assert.match(refused.text, /may have at most 1; delete traces, or ask the operator to raise stored_bytes/)
    assert.equal(refused.headers.get('retry-after'), null)
    const session = http2.connect(`http://${service.grpcAddress}`)
    after(() => session.destroy())
    const call = (key: string) => grpcCall(session, TRACES, { key, parts: [framed(someSpans(1))] })
    const overGrpc = await call(full.key)
    assert.deepEqual([overGrpc.status, overGrpc.headers['grpc-status-details-bin']], [8, undefined])
    assert.equal((await call(other.key)).status, 0)
    assert.equal((await send(service, other.key)).status, 200)
    assert.equal((await service.call('GET', '/v2/traces', { key: full.key })).status, 200)
    const { state, used } = await limitOf(service, full.key, 'stored_bytes')
    assert.ok(state === 'reached' && used > 1)

    const { json } = await service.call('GET', '/v2/whoami', { key: full.key })
    await service.call('DELETE', `/v2/projects/${json.project.id}/data`, { key: full.key })
    assert.equal((await limitOf(service, full.key, 'stored_bytes')).used, 0)
    await until(
      () => send(service, full.key),
      ({ status }) => status === 200,
    )
  })
})

describe('things that are counted', () => {
  const CREATED = [
    ['setups', SETUPS, (at: number) => setup(`s${at}`)],
    ['projects', '/v2/projects', (at: number) => ({ name: `p${at}` })],
    ['api_keys', '/v2/api-keys', (at: number) => ({ name: `k${at}` })],
    [
      'custom_evaluators',
      '/v2/evaluators',
      (at: number) => ({
        ...{
          name: `judge ${at}`,
          provider: 'openai',
          messages: [{ role: 'user', content: 'Is {{text}} kind?' }],
        },
        ...{ model: 'gpt-4o', input_schema: [{ name: 'text', type: 'string' }] },
        ...{ output_schema: [{ name: 'kind', type: 'boolean' }] },
      }),
    ],
  ] as const

  for (const [field, path, body] of CREATED) {
    test(`403 names the limit of ${field} and the remedy`, async () => {
      const { key } = await newTenant(shared, field, { [field]: 2 })
      const statuses: number[] = []
      let last = ''
      for (let at = 0; at < 3; at++) {
        const { status, json } = await shared.call('POST', path, { key, body: body(at) })
        statuses.push(status)
        last = json.error ?? ''
      }
      const { used, limit, state, is_default: isDefault } = await limitOf(shared, key, field)
      assert.deepEqual([used, limit, state, isDefault], [2, 2, 'reached', false])
      assert.equal(statuses.at(-1), 403)
      assert.ok(statuses[0] === 201 || statuses[0] === 200, String(statuses))
      assert.match(
        last,
        new RegExp(`has 2 .* and may have at most 2; .*, or ask the operator to raise ${field}$`),
      )
    })
  }

  test('403 to a bulk request as a whole', async () => {
    const { key } = await newTenant(shared, 'bulk', { setups: 2 })
    const bulk = (names: readonly string[]) =>
      shared.call('POST', `${SETUPS}/bulk`, { key, body: { setups: names.map(setup) } })
    assert.equal((await bulk(['a', 'b', 'c'])).status, 403)
    assert.equal((await limitOf(shared, key, 'setups')).used, 0)
    assert.equal((await bulk(['a', 'b'])).status, 200)
    assert.equal((await bulk(['a', 'b'])).status, 200)
  })
})

describe('failed authentications', () => {
  test('429 instead of 401 when there are too many of an address; a valid key of that address passes', async () => {
    const service = await startRestingService({ ASSAY_LIMIT_FAILED_AUTHENTICATIONS: '60' })
    const answers = await Promise.all(
      Array.from({ length: MANY }, (_, at) =>
        service.call('GET', SETUPS, { key: `not-a-key-0123456789-${at}` }),
      ),
    )
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length
    assert.ok(count(401) >= 60 && count(429) > 0 && count(401) + count(429) === MANY)
    const refused = answers.find(({ status }) => status === 429)
    assert.equal(refused?.headers.get('retry-after'), '1')
    for (let at = 0; at < 5; at++) assert.equal((await service.call('GET', SETUPS)).status, 200)
    assert.match(
      (await service.call('GET', '/metrics')).text,
      /assay_limit_refusals_total{limit="failed_authentications"} \d/,
    )
  })
})

describe('limits of organizations', () => {
  test('are shown with what is used, and 80 % is a warning', async () => {
    const { orgId, key } = await newTenant(shared, 'near', { setups: 5, projects: 0 })
    const body = { setups: ['a', 'b', 'c', 'd'].map(setup) }
    await shared.call('POST', `${SETUPS}/bulk`, { key, body })
    const { json } = await shared.call('GET', '/v2/limits', { key })
    const shown = Object.fromEntries(json.limits.map(({ name, ...rest }: { name: string }) => [name, rest]))
    assert.deepEqual(shown.setups, {
      per: 'organization',
      limit: 5,
      is_default: false,
      used: 4,
      state: 'warning',
    })
    assert.deepEqual(shown.projects, {
      per: 'organization',
      limit: null,
      is_default: false,
      used: 1,
      state: 'ok',
    })
    assert.deepEqual(shown.api_keys, {
      per: 'organization',
      limit: 10_000,
      is_default: true,
      used: 1,
      state: 'ok',
    })
    assert.equal(shown.requests_per_second.limit, 5_000)
    assert.ok(shown.requests_per_second.used > 0)
    const seen = await shared.call('GET', `/v2/organizations/${orgId}/limits`)
    assert.equal(seen.json.limits.find(({ name }: { name: string }) => name === 'setups').used, 4)
    assert.equal(seen.json.limits[0].used, undefined)
  })

  test('are set as a whole: what is absent or null is the default again', async () => {
    const { orgId, key } = await newTenant(shared, 'changed', { setups: 5, api_keys: 7 })
    const body = { setups: null, custom_evaluators: 3 }
    await shared.call('PUT', `/v2/organizations/${orgId}/limits`, { body })
    const limits = await Promise.all(
      ['setups', 'api_keys', 'custom_evaluators'].map((name) => limitOf(shared, key, name)),
    )
    assert.deepEqual(
      limits.map(({ limit, is_default: isDefault }) => [limit, isDefault]),
      [
        [100_000, true],
        [10_000, true],
        [3, false],
      ],
    )
  })

  test('403 to everybody but the operator, 404 for an unknown organization, 400 names the field', async () => {
    const one = await newTenant(shared, 'one')
    const two = await newTenant(shared, 'two')
    for (const method of ['GET', 'PUT']) {
      const options = { key: one.key, ...(method === 'PUT' ? { body: { setups: 1 } } : {}) }
      for (const { orgId } of [one, two]) {
        const path = `/v2/organizations/${orgId}/limits`
        assert.equal((await shared.call(method, path, options)).status, 403)
      }
    }
    const put = (orgId: string, body: unknown) =>
      shared.call('PUT', `/v2/organizations/${orgId}/limits`, { body })
    assert.equal((await put('nobody', { setups: 1 })).status, 404)
    assert.equal((await shared.call('GET', '/v2/organizations/nobody/limits')).status, 404)
    const misspelt = await put(one.orgId, { setup: 1 })
    assert.equal(misspelt.status, 400)
    assert.match(misspelt.json.error, /setup\b/)
    for (const wrong of [-1, 1.5, '5', 1e12]) {
      const { status, json } = await put(one.orgId, { setups: wrong })
      assert.equal(status, 400)
      assert.match(json.error, /^invalid input: setups /)
    }
  })

  test('that are nearly or fully used are named in the log and counted in the metrics', async () => {
    const watched = await startRestingService({ ASSAY_LIMIT_PROJECTS: '1' })
    await until(
      () => watched.call('GET', '/metrics'),
      ({ text }) => /assay_limit_organizations{limit="projects",state="reached"} 1\b/.test(text),
    )
    const lines = watched.logLines.filter((line) => line.includes('has reached a limit'))
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /projects/)
  })
})

/** The first answer that is as wanted. */
async function until<Value>(ask: () => Promise<Value>, isWanted: (value: Value) => boolean): Promise<Value> {
  const givenUpAt = Date.now() + 120_000
  for (;;) {
    const value = await ask()
    if (isWanted(value)) return value
    assert.ok(Date.now() < givenUpAt, 'the answer never came')
    await sleep(50)
  }
}
