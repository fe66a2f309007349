import type { Json } from '../../../src/http/openapi-document.ts'
import { officialRpcStatus } from '../../otlp/official-definitions.ts'
import type { RawAnswer } from '../fuzzed-service.ts'
import { CANARY } from './fuzz-tenants.ts'
import type { RouteInput } from './make-request.ts'
import { DOCUMENT, findOperation, type Operation } from './operations.ts'

/** Statuses that any address may answer with, whatever its operation says: they are found before it is. */
const ANYWHERE = new Set([400, 401, 403, 404, 405, 408, 413, 414, 415, 417, 429, 431, 503])
/** Parts of a request without a field, which the message of a 400 may name instead. */
const PARTS_OF_REQUESTS =
  /\b(body|path|query|Host|Content-Type|Content-Encoding|Content-Length|Expect|Authorization|request is malformed|is not a known field)\b/

/** Which promise an answer breaks; undefined: none. */
export function problemWith(input: RouteInput, answer: RawAnswer): string | undefined {
  const operation = findOperation(input.method, input.path)
  const where = `${input.method} ${operation?.path ?? 'an unknown address'}`
  const text = answer.body.toString()
  if (text.includes(CANARY)) return `${where} shows another tenant's data`
  if (answer.headers['x-injected'] !== undefined) return `${where} lets a request set a header of its answer`
  const { status } = answer
  if (status === 500) return `${where} answers 500`
  if (!isDocumented(status, operation)) return `${where} answers ${status}, which is not documented`
  if (input.method === 'HEAD') return undefined
  const problem =
    status >= 400 ? problemWithError(input, answer, operation) : problemWithSuccess(answer, operation)
  return problem === undefined ? undefined : `${where}: ${problem}`
}

function isDocumented(status: number, operation: Operation | undefined): boolean {
  if (operation?.statuses.has(status)) return true
  // Files of the dashboard are served beside the interface.
  if (operation === undefined && status < 400) return true
  return ANYWHERE.has(status)
}

function problemWithError(
  { path }: RouteInput,
  { status, headers, body }: RawAnswer,
  operation: Operation | undefined,
): string | undefined {
  if (headers['content-type']?.startsWith('application/x-protobuf')) {
    const { message } = officialRpcStatus.decode(body) as unknown as { message: string }
    return message ? undefined : `${status} has no message`
  }
  const error = errorIn(body)
  if (error === undefined) return `${status} has no error object but "${body.toString().slice(0, 200)}"`
  if (status === 400 && !namesField(error, operation, path))
    return `400 names no field but "${error.slice(0, 200)}"`
  return undefined
}

function errorIn(body: Buffer): string | undefined {
  try {
    const { error } = JSON.parse(body.toString()) as { error?: unknown }
    return typeof error === 'string' && error !== '' ? error : undefined
  } catch {
    return undefined
  }
}

function namesField(message: string, operation: Operation | undefined, path: string): boolean {
  const error = message.replace(/^invalid input:? ?/, '')
  if (PARTS_OF_REQUESTS.test(error)) return true
  // A parameter of its own that the request has made up counts as well.
  const [, query = ''] = path.split('?')
  if ([...new URLSearchParams(query).keys()].some((name) => name !== '' && error.startsWith(`${name} `)))
    return true
  return operation !== undefined && [...namesOf(operation)].some((name) => error.includes(name))
}

const names = new Map<Operation, ReadonlySet<string>>()

/** Every name that stands in the description of an operation's parameters and body. */
function namesOf(operation: Operation): ReadonlySet<string> {
  const known = names.get(operation)
  if (known) return known
  const found = new Set(operation.parameters.map(({ name }) => name))
  collectNames(operation.bodySchema, found)
  for (const name of ['input', 'config', 'attributes']) found.add(name)
  names.set(operation, found)
  return found
}

function collectNames(schema: unknown, found: Set<string>): void {
  if (typeof schema !== 'object' || schema === null) return
  const { properties, $ref } = schema as { properties?: Json; $ref?: string }
  for (const name of Object.keys(properties ?? {})) found.add(name)
  if ($ref !== undefined) collectNames(DOCUMENT.components.schemas[$ref.replace(/.*\//, '')], found)
  for (const child of Object.values(schema)) collectNames(child, found)
}

function problemWithSuccess(
  { headers, body }: RawAnswer,
  operation: Operation | undefined,
): string | undefined {
  const { schema } = operation?.route.success ?? {}
  if (!schema || !headers['content-type']?.startsWith('application/json')) return undefined
  const checked = schema.safeParse(JSON.parse(body.toString()))
  if (checked.success) return undefined
  const [issue] = checked.error.issues
  return `the answer does not fit its schema: ${issue?.path.join('.')} ${issue?.message}`
}
