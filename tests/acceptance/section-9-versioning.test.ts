import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { startRestingService } from '../support/service.ts'
import { SETUPS } from './setup-calls.ts'

const service = await startRestingService()
const answer = await service.call('GET', '/openapi.json', { key: null })
const document = answer.json
const METHODS = ['get', 'post', 'put', 'patch', 'delete']

const SPEC_OPERATIONS = [
  ['get', SETUPS, ['200', '500']],
  ['post', SETUPS, ['201', '400', '500']],
  ['post', `${SETUPS}/bulk`, ['200', '400', '500']],
  ['get', `${SETUPS}/{external_id}`, ['200', '404', '500']],
  ['put', `${SETUPS}/{external_id}`, ['200', '400', '404', '500']],
  ['delete', `${SETUPS}/{external_id}`, ['204', '404', '500']],
] as const

const OTHER_OPERATIONS = [
  ['post', '/v2/organizations', ['201', '400', '403', '500']],
  ['get', '/v2/projects', ['200']],
  ['post', '/v2/projects', ['201', '400']],
  ['get', '/v2/api-keys', ['200']],
  ['post', '/v2/api-keys', ['201', '400']],
  ['get', '/healthz', ['200']],
  ['get', '/health', ['200']],
  ['get', '/readyz', ['200']],
  ['get', '/metrics', ['200']],
  ['get', '/openapi.json', ['200']],
  ['get', '/docs', ['200']],
] as const

interface Operation {
  responses: Record<string, { content?: Record<string, { schema: object }> }>
  security?: object[]
  requestBody?: { required?: boolean }
}
const operations: [method: string, path: string, operation: Operation][] = Object.entries(
  document.paths as Record<string, Record<string, Operation>>,
).flatMap(([path, item]) =>
  METHODS.filter((method) => method in item).map((method): [string, string, Operation] => [
    method,
    path,
    item[method] as Operation,
  ]),
)

/** Every `$ref` below a value. */
function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : []
  return [...own, ...Object.values(value).flatMap(refsIn)]
}

/** The target of a `$ref`, through further ones; throws on one that leads nowhere or in a circle. */
function resolve(ref: string, seen: string[] = []): unknown {
  assert.ok(!seen.includes(ref), `${ref} is defined by itself`)
  let target = document
  for (const part of ref.replace(/^#\//, '').split('/')) target = target?.[part]
  assert.ok(target, `${ref} leads nowhere`)
  return typeof target.$ref === 'string' ? resolve(target.$ref, [...seen, ref]) : target
}

test('200 describes the interface as version 1.0.0 in OpenAPI 3.1 with a title', () => {
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/(vnd\.oai\.openapi\+)?json/)
  assert.equal(document.info.version, '1.0.0')
  assert.match(document.openapi, /^3\.1\.\d+$/)
  assert.ok(document.info.title.length > 0)
})

test('the description is valid OpenAPI', async () => {
  const validator = new Validator()
  const result = await validator.validate(structuredClone(document))
  assert.ok(result.valid, JSON.stringify(result.errors))
  assert.equal(validator.version, '3.1')
})

test('every reference leads to a schema and none to itself', () => {
  const faults = [...new Set(refsIn(document))].flatMap((ref) => {
    try {
      const schema = resolve(ref) as object
      return Object.keys(schema).length > 0 ? [] : [`${ref} is empty`]
    } catch (error) {
      return [error instanceof Error ? error.message : `${error}`]
    }
  })
  assert.deepEqual(faults, [])
})

for (const [method, path, statuses] of [...SPEC_OPERATIONS, ...OTHER_OPERATIONS]) {
  test(`${method.toUpperCase()} ${path} is described with its answers`, () => {
    const operation = document.paths[path]?.[method] as Operation
    assert.ok(operation)
    for (const status of statuses) assert.ok(operation.responses[status], `answer ${status}`)
  })
}

test('every path of section 4 carries the version prefix', () => {
  const paths = Object.keys(document.paths).filter((path) => /setups|projects|keys|organizations/.test(path))
  for (const path of paths) assert.match(path, /^\/v2\//)
})

test('every operation below /v2 asks for the key and describes 401, 403 and the error object', () => {
  for (const [method, path, operation] of operations.filter(([, path]) => path.startsWith('/v2/'))) {
    const security = operation.security ?? document.security
    assert.ok(security?.length > 0, `${method} ${path}`)
    for (const status of ['401', '403', '500'])
      assert.ok(operation.responses[status], `${method} ${path} ${status}`)
    for (const [status, response] of Object.entries(operation.responses)) {
      if (Number(status) < 400) continue
      const { content } = ('$ref' in response ? resolve(String(response.$ref)) : response) as typeof response
      const { schema = {} } = content?.['application/json'] ?? {}
      const [ref] = refsIn(schema)
      const error = (ref === undefined ? schema : resolve(ref)) as { properties?: object }
      assert.deepEqual(Object.keys(error.properties ?? {}), ['error'], `${method} ${path} ${status}`)
    }
  }
})

test('every operation that takes a body says that it is required and describes 413', () => {
  for (const [method, path, operation] of operations) {
    // These say everything in their path.
    if ((method !== 'post' && method !== 'put') || /\/(cancel|restore)$/.test(path)) continue
    assert.equal(operation.requestBody?.required, true, `${method} ${path}`)
    assert.ok(operation.responses['413'], `${method} ${path}`)
  }
})

test('the setup is described with every field of section 2.1', () => {
  const { schema } = document.paths[SETUPS].post.responses['201'].content['application/json']
  const [ref] = refsIn(schema)
  const setup = (ref === undefined ? schema : resolve(ref)) as { properties: object }
  const fields =
    'id external_id org_id project_id env_project_id entity_type entity_value init_rules evaluators'
  for (const field of [...fields.split(' '), 'status', 'created_at', 'updated_at']) {
    assert.ok(field in setup.properties, field)
  }
})

test('every operation of the description answers', async () => {
  const unknown = await service.call('GET', '/v2/there-is-no-such-route')
  assert.equal(unknown.status, 404)
  for (const [method, path] of operations) {
    const route = path.replaceAll(/\{[^}]+\}/g, 'nobody')
    const body = method === 'post' || method === 'put' ? { body: {} } : {}
    const found = await service.call(method.toUpperCase(), route, body)
    assert.notEqual(found.text, unknown.text, `${method} ${path}`)
    assert.ok(found.status < 500 && found.status !== 405, `${method} ${path}: ${found.status}`)
  }
})

test('every status that the operations answer is described', async () => {
  const [key] = (await service.call('GET', '/v2/api-keys')).json.api_keys
  const calls = [
    ['delete', '/v2/api-keys/{key_id}', `/v2/api-keys/${key.id}`],
    ['get', `${SETUPS}/{external_id}`, `${SETUPS}/%zz`],
    ['delete', `${SETUPS}/{external_id}`, `${SETUPS}/%zz`],
    ['get', SETUPS, `${SETUPS}?limit=0`],
  ] as const
  const missing: string[] = []
  for (const [method, path, route] of calls) {
    const { status } = await service.call(method.toUpperCase(), route)
    if (!document.paths[path][method].responses[`${status}`]) missing.push(`${method} ${path}: ${status}`)
  }
  assert.deepEqual(missing, [])
})

test('200 for /docs is a page that names every operation and needs nothing from elsewhere', async () => {
  const page = await service.call('GET', '/docs', { key: null })
  assert.equal(page.status, 200)
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
  assert.match(page.text, /^\s*<!doctype html>/i)
  const attributes = [
    ...page.text.matchAll(/\b(?:src|href|action|data|srcset|poster)\s*=\s*["']?([^"'\s>]+)/gi),
  ]
  const styles = [...page.text.matchAll(/(?:url\(|@import)\s*["']?([^"')\s;]+)/gi)]
  const pathnames = new Set<string>()
  for (const [, target = ''] of [...attributes, ...styles]) {
    if (target.startsWith('data:')) continue
    const { origin, pathname } = new URL(target, `${service.url}/docs`)
    assert.equal(origin, service.url, target)
    pathnames.add(pathname)
  }
  for (const pathname of pathnames)
    assert.equal((await service.call('GET', pathname, { key: null })).status, 200, pathname)
  assert.doesNotMatch(page.text, /<(iframe|object|embed)\b/i)
  const words = page.text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
  for (const [, path] of operations) assert.ok(words.includes(path), `${path} is on the page`)
  for (const field of ['env_project_id', 'init_rules', 'evaluator_configs', 'retention_hours']) {
    assert.ok(words.includes(field), `${field} is on the page`)
  }
})

test('the description and the page are the same on every start', async () => {
  const other = await startRestingService()
  assert.deepEqual((await other.call('GET', '/openapi.json')).json, document)
})

for (const path of ['/openapi.json', '/docs']) {
  test(`304 for ${path} when the client has it, also compressed`, async () => {
    const plain = await service.call('GET', path, { key: null, headers: { 'accept-encoding': 'identity' } })
    const packed = await service.call('GET', path, { key: null, headers: { 'accept-encoding': 'gzip' } })
    assert.equal(packed.headers.get('content-encoding'), 'gzip')
    assert.equal(packed.text, plain.text)
    const tags = [plain, packed].map(({ headers }) => headers.get('etag') ?? assert.fail())
    for (const tag of tags) assert.match(tag, /^"/)
    assert.notEqual(tags[0], tags[1])
    const again = await service.call('GET', path, {
      key: null,
      headers: { 'accept-encoding': 'gzip', 'if-none-match': `${tags[1]}` },
    })
    assert.deepEqual([again.status, again.text], [304, ''])
    const other = await service.call('GET', path, { key: null, headers: { 'if-none-match': '"other"' } })
    assert.equal(other.status, 200)
  })
}
