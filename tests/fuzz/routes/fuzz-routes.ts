import { type FakeModel, startFakeModel } from '../../../src/cli/fake-judge/fake-model-server.ts'
import type { FuzzKind } from '../fuzz-kind.ts'
import { type FuzzedService, startFuzzedService } from '../fuzzed-service.ts'
import { createTenants, type FuzzTenants } from './fuzz-tenants.ts'
import { KnownValues } from './known-values.ts'
import { makeRequest, type RouteInput } from './make-request.ts'
import { findOperation, OPERATIONS } from './operations.ts'
import { problemWith } from './route-oracles.ts'

/** Requests without an answer that are smaller than this broke something; larger ones may be refused while they are sent. */
const ANSWERED_BYTES_MAX = 65_536
/** Fewer valid requests than this share that succeed mean that the attack does not reach the operations. */
const SUCCESS_SHARE_MIN = 0.4

/** Attacks every operation over HTTP with requests made from its own description, and with changed ones. */
export async function openRouteFuzz(
  storeEnv: Readonly<Record<string, string>>,
): Promise<FuzzKind<RouteInput>> {
  // The judge is on this machine, and without a key for secrets no provider's key can be stored: nothing leaves the machine.
  const judge = await startFakeModel()
  const service = await startFuzzedService({
    ASSAY_JUDGE_MODEL: 'openai/fake',
    ASSAY_JUDGE_BASE_URL: `${judge.url}/v1`,
    ASSAY_JUDGE_API_KEY: 'fake-key',
    ...storeEnv,
  })
  const tenants = await createTenants(service.url)
  return new RouteFuzz(service, judge, tenants, await tenants.readVictim())
}

class RouteFuzz implements FuzzKind<RouteInput> {
  readonly name = 'routes'
  readonly concurrency = 16
  readonly make = makeRequest
  readonly #service: FuzzedService
  readonly #judge: FakeModel
  readonly #tenants: FuzzTenants
  readonly #victimBefore: string
  readonly #known: KnownValues
  readonly #statuses = new Map<number, number>()
  readonly #succeeded = new Set<string>()
  #valid = 0
  #validSucceeded = 0

  constructor(service: FuzzedService, judge: FakeModel, tenants: FuzzTenants, victimBefore: string) {
    this.#service = service
    this.#judge = judge
    this.#tenants = tenants
    this.#victimBefore = victimBefore
    this.#known = new KnownValues(tenants.known)
  }

  async attempt(input: RouteInput): Promise<string | undefined> {
    const key = this.#tenants.keys[input.key]
    const body = bodyOf(input, this.#known)
    const answer = await this.#service.send({
      method: input.method,
      path: this.#known.fill(input.path),
      headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...input.headers },
      ...(body === undefined ? {} : { body }),
    })
    this.#count(input, answer?.status ?? 0)
    if (answer === undefined) {
      const isSmall = (body?.length ?? 0) < ANSWERED_BYTES_MAX
      return isSmall ? `${input.method} ends the connection without an answer` : undefined
    }
    this.#known.learn(answer)
    return problemWith(input, answer)
  }

  *smaller(input: RouteInput): Iterable<RouteInput> {
    for (const name of Object.keys(input.headers)) {
      const { [name]: _left, ...headers } = input.headers
      yield { ...input, headers }
    }
    const [path = '', search = ''] = input.path.split('?')
    const parts = search.split('&').filter(Boolean)
    for (const at of parts.keys()) {
      const rest = parts.toSpliced(at, 1).join('&')
      yield { ...input, path: rest ? `${path}?${rest}` : path }
    }
    if (input.body !== undefined) for (const body of smallerBodies(input.body)) yield { ...input, body }
  }

  checkHealth(): Promise<readonly string[]> {
    return this.#service.checkHealth()
  }

  async finish(): Promise<readonly string[]> {
    const problems: string[] = []
    const after = await this.#tenants.readVictim()
    if (after !== this.#victimBefore)
      problems.push(`the victim's data changed: ${firstDifference(this.#victimBefore, after)}`)
    const share = this.#validSucceeded / (this.#valid || 1)
    if (this.#valid > 200 && share < SUCCESS_SHARE_MIN)
      problems.push(`only ${Math.round(share * 100)} % of valid requests succeed`)
    return problems
  }

  counts(): Record<string, number> {
    return {
      operations: OPERATIONS.length,
      'operations with a success': this.#succeeded.size,
      valid: this.#valid,
      'valid and successful': this.#validSucceeded,
      'peak MiB': Math.round(this.#service.peakRssBytes() / 1_048_576),
      ...Object.fromEntries(
        [...this.#statuses].sort(([a], [b]) => a - b).map(([status, n]) => [`status ${status}`, n]),
      ),
    }
  }

  async close(): Promise<void> {
    await this.#service.close()
    await this.#judge.close()
  }

  #count({ isValid, method, path }: RouteInput, status: number): void {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1)
    if (!isValid) return
    this.#valid++
    if (status < 200 || status >= 300) return
    this.#validSucceeded++
    const operation = findOperation(method, path)
    if (operation) this.#succeeded.add(`${method} ${operation.path}`)
  }
}

function bodyOf({ body, bodyBase64 }: RouteInput, known: KnownValues): Buffer | undefined {
  if (bodyBase64 !== undefined) return Buffer.from(bodyBase64, 'base64')
  return body === undefined ? undefined : Buffer.from(known.fill(body))
}

/** The same body without one of its members, at every level. */
function* smallerBodies(body: string): Iterable<string> {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return
  }
  for (const smaller of withoutOne(value)) yield JSON.stringify(smaller)
}

function* withoutOne(value: unknown): Iterable<unknown> {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const at of value.keys()) yield value.toSpliced(at, 1)
    for (const [at, child] of value.entries())
      for (const smaller of withoutOne(child)) yield value.with(at, smaller)
    return
  }
  for (const name of Object.keys(value)) {
    const { [name]: _left, ...rest } = value as Record<string, unknown>
    yield rest
  }
  for (const [name, child] of Object.entries(value))
    for (const smaller of withoutOne(child)) yield { ...value, [name]: smaller }
}

function firstDifference(before: string, after: string): string {
  let at = 0
  while (at < before.length && before[at] === after[at]) at++
  const from = Math.max(0, at - 60)
  return `"${before.slice(from, at + 60)}" became "${after.slice(from, at + 60)}"`
}
