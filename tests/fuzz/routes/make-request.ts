import zlib from 'node:zlib'
import { permissionsOf } from '../../../src/http/route.ts'
import type { Random } from '../../otlp/random-traces.ts'
import { HOSTILE_NUMBERS, HOSTILE_TEXTS, hostileValue } from '../hostile-values.ts'
import { KEY_NAMES, type KeyName } from './fuzz-tenants.ts'
import { mutatedText, mutatedValue } from './mutate-json.ts'
import { OPERATIONS, type Operation } from './operations.ts'
import { exampleBody, spanBody, valueFor } from './schema-values.ts'

/** A request that can be saved as JSON and sent again. */
export interface RouteInput {
  readonly method: string
  /** With the query; `@@name@@` stands for an id that the service has made. */
  readonly path: string
  readonly key: KeyName
  readonly headers: Readonly<Record<string, string>>
  /** As text where it is UTF-8, else in base64. */
  readonly body?: string
  readonly bodyBase64?: string
  /** Whether it fits the description and its key may send it. */
  readonly isValid: boolean
}

interface Draft {
  method: string
  path: string
  query: [string, string][]
  key: KeyName
  headers: Record<string, string>
  body: Buffer | undefined
  isValid: boolean
}

/** Pages of hundreds of kilobytes; one request in so many asks for them. */
const LARGE_PAGES = new Set(['/openapi.json', '/docs'])
const LARGE_PAGE_ONE_IN = 30

/** A request to any operation: as described three times out of eight, else changed in one to three ways. */
export function makeRequest(random: Random): RouteInput {
  let operation = random.pick(OPERATIONS)
  while (LARGE_PAGES.has(operation.path) && !random.chance(LARGE_PAGE_ONE_IN))
    operation = random.pick(OPERATIONS)
  const draft = validDraft(random, operation)
  if (random.below(8) >= 3) {
    draft.isValid = false
    for (let changes = 1 + random.below(3); changes > 0; changes--)
      random.pick(MUTATIONS)(random, draft, operation)
  }
  return finished(draft)
}

function validDraft(random: Random, operation: Operation): Draft {
  const { parameters, bodySchema } = operation
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string, at: number) => {
    if (name === 'id') return ownedId(random, operation.path.slice(0, at))
    const schema = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)?.schema
    return encodeURIComponent(String(valueFor(random, schema ?? {}, name))).replaceAll('%40%40', '@@')
  })
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && (parameter.required || random.chance(3)))
    .flatMap(({ name, schema }) =>
      [valueFor(random, schema, name)].flat().map((value): [string, string] => [name, String(value)]),
    )
  const body = bodySchema && bodyFor(random, operation, path)
  return {
    method: operation.method,
    path,
    query,
    key: keyFor(random, operation),
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    isValid: true,
  }
}

/** A placeholder for the id of what the segment before it lists: `/v2/monitors/` asks for a monitor. */
function ownedId(random: Random, before: string): string {
  const thing = before.split('/').at(-2)?.replace(/s$/, '')
  return `@@${random.chance(4) ? 'victim_' : ''}${thing}@@`
}

function bodyFor(random: Random, { bodySchema, path }: Operation, filledPath: string): unknown {
  const slug = /\/(?:evaluators|guardrails(?:\/execute)?)\/([a-z0-9-]+)/.exec(filledPath)?.[1]
  if (/execut/.test(path) && slug !== undefined && !random.chance(4)) return exampleBody(random, slug)
  if (path === '/v1/traces') return spanBody(random)
  return valueFor(random, bodySchema ?? {}, '')
}

/** A key that may send it: one with nothing but that permission, or one with all of them. */
function keyFor(random: Random, { route }: Operation): KeyName {
  const [scope] = permissionsOf(route.access)
  if (scope === undefined) return 'none'
  if (route.path === '/v2/organizations') return 'operator'
  return random.chance(2) ? (scope as KeyName) : 'admin'
}

const CHANGED_AGAIN_BYTES_MAX = 2_000

type Mutation = (random: Random, draft: Draft, operation: Operation) => void

const changeBodyValue: Mutation = (random, draft, operation) => {
  if (draft.body === undefined) return changeQuery(random, draft, operation)
  // A body that is this large has a hostile value already, perhaps one too deep to be copied.
  if (draft.body.length > CHANGED_AGAIN_BYTES_MAX) return
  let value: unknown
  try {
    value = JSON.parse(draft.body.toString())
  } catch {
    return
  }
  draft.body = Buffer.from(JSON.stringify(mutatedValue(random, value)) ?? 'null')
}

const changeBodyText: Mutation = (random, draft) => {
  draft.body = mutatedText(random, draft.body?.toString() ?? '{}')
}

const changeQuery: Mutation = (random, { query }, operation) => {
  const names = [
    ...query.map(([name]) => name),
    ...operation.parameters.map(({ name }) => name),
    'x',
    '__proto__',
    'cursor',
  ]
  const value = random.pick([
    random.pick(HOSTILE_TEXTS).slice(0, 3_000),
    String(random.pick(HOSTILE_NUMBERS)),
    JSON.stringify(hostileValue(random)).slice(0, 3_000),
  ])
  const name = random.pick(names)
  const choice = random.below(5)
  if (choice === 0) query.push([name, value], [name, value])
  else if (choice === 1) query.push([`${name}[]`, value])
  else if (choice === 2) query.push([`attributes[${value.slice(0, 50)}]`, value])
  else if (choice === 3 && query.length > 0) query.splice(random.below(query.length), 1)
  else query.push([name, value])
}

const changePath: Mutation = (random, draft) => {
  const parts = draft.path.split('/')
  const at = 1 + random.below(parts.length - 1)
  const choice = random.below(6)
  if (choice === 0) parts.splice(at, 1)
  else if (choice === 1) parts.splice(at, 0, random.pick(['', '.', '..', '%2e%2e', '%2f', 'x']))
  else if (choice === 2)
    parts[at] = random.pick(['%', '%zz', '%ff', '%00', '%F0%9F', '@@project@@', '*', ';a=b', '0'])
  else if (choice === 3)
    parts[at] = encodeURIComponent(random.pick(HOSTILE_TEXTS).toWellFormed()).slice(0, 9_000)
  else if (choice === 4) parts[at] = (parts[at] ?? '').toUpperCase()
  else parts.push('')
  draft.path = parts.join('/')
}

const changeHeaders: Mutation = (random, { headers }) => {
  const [name, value] = random.pick(HEADERS)
  headers[name] = value
}

const changeEncoding: Mutation = (random, draft) => {
  const body = draft.body ?? Buffer.from('{}')
  const [name, encode] = random.pick(ENCODINGS)
  draft.headers['content-encoding'] = name
  draft.body = random.chance(4) ? body : encode(body)
  if (random.chance(4)) draft.body = draft.body.subarray(0, random.below(draft.body.length + 1))
}

const changeMethod: Mutation = (random, draft) => {
  draft.method = random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND'])
}

const changeKey: Mutation = (random, draft) => {
  draft.key = random.pick(KEY_NAMES)
}

const MUTATIONS: readonly Mutation[] = [
  changeBodyValue,
  changeBodyValue,
  changeBodyValue,
  changeBodyText,
  changeQuery,
  changeQuery,
  changePath,
  changeHeaders,
  changeEncoding,
  changeMethod,
  changeKey,
]

const ENCODINGS: readonly (readonly [string, (body: Buffer) => Buffer])[] = [
  ['gzip', (body) => zlib.gzipSync(body)],
  ['deflate', (body) => zlib.deflateSync(body)],
  ['br', (body) => zlib.brotliCompressSync(body)],
  ['zstd', (body) => zlib.zstdCompressSync(body)],
  ['GZIP', (body) => zlib.gzipSync(body)],
  ['gzip, gzip', (body) => zlib.gzipSync(zlib.gzipSync(body))],
  ['compress', (body) => body],
  ['identity', (body) => body],
]

const HEADERS: readonly (readonly [string, string])[] = [
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/x-protobuf',
    'application/json; charset=utf-16',
    'application/problem+json',
    '',
    ';;;',
    'x'.repeat(5_000),
  ].map((type) => ['content-type', type] as const),
  ['accept-encoding', 'gzip;q=0, br;q=9, *;q=foo'],
  ['accept-encoding', ','.repeat(5_000)],
  ['accept', 'application/x-protobuf'],
  ['x-request-id', '<script>'],
  ['x-request-id', 'y'.repeat(8_000)],
  ['traceparent', '00-zz-zz-zz'],
  ['traceparent', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-ff`],
  ['if-none-match', '*'],
  ['if-modified-since', 'yesterday'],
  ['range', 'bytes=0-18446744073709551615'],
  ['x-forwarded-for', '127.0.0.1, ::1, \u00ff'],
  ['x-http-method-override', 'DELETE'],
  ['authorization', 'Basic dGVzdDp0ZXN0'],
  ['authorization', 'Bearer '],
  ['authorization', `Bearer ${'k'.repeat(9_000)}`],
  ['authorization', 'Bearer \u00e9\u00ff'],
  ['cookie', 'a=b; '.repeat(500)],
  ['origin', 'https://evil.example'],
  ['host', 'evil.example:99999'],
]

function finished({ method, path, query, key, headers, body, isValid }: Draft): RouteInput {
  const search = query
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .join('&')
    .replaceAll('%40%40', '@@')
  const isText = body !== undefined && Buffer.from(body.toString()).equals(body)
  return {
    method,
    path: search ? `${path}?${search}` : path,
    key,
    headers,
    isValid,
    ...(body === undefined
      ? {}
      : isText
        ? { body: body.toString() }
        : { bodyBase64: body.toString('base64') }),
  }
}

/** A short text that begins with a percent sign stays as it is, so that broken escapes come through too. */
function escaped(text: string): string {
  return /^%/.test(text) && text.length <= 3 ? text : encodeURIComponent(text.toWellFormed())
}
