/**
 * The setups API as a few lines of obvious code: what a client may expect to read back. Shares nothing with the
 * service, so that the two can disagree.
 */

/** The part of a rule that the model compares. */
export interface ModelRule {
  readonly key: string
  readonly value?: string
  readonly values?: string[]
  readonly source: string
  readonly operator: string
  readonly value_type: string
}

/** The part of a setup that the model compares. */
export interface ModelSetup {
  external_id: string
  evaluators: string[]
  scopes: Record<string, string>
  rules: ModelRule[]
  entity_type: string
}

/** A body of create, update or bulk, as the generators make it. */
export interface ModelBody {
  external_id?: string
  evaluators?: string[]
  evaluator_configs?: { slug: string; scope?: string }[]
  selector?: ModelInputRule[] | Record<string, string | number | boolean>
  entity_type?: string
}

/** A rule as clients send it. */
export interface ModelInputRule {
  key: string
  value?: string
  values?: string[]
  source: string
  operator?: string
}

/** The model's expectation of a call: the status, and the setups in the answer where there are any. */
export interface Expected {
  readonly status: number
  readonly setups?: ModelSetup[]
}

const SLUGS = new Set(['char-count', 'word-count', 'pii-detector', 'faithfulness'])
const ONE_VALUE = ['equals', 'not_equals', 'contains', 'not_contains']
const MANY_VALUES = ['in', 'not_in']
const RESOURCE = /^(service|host|process|telemetry|deployment)\./

/** One project. */
export class ModelProject {
  setups = new Map<string, ModelSetup>()

  create(body: ModelBody): Expected {
    if (!isValid(body, true) || this.setups.has(body.external_id ?? '')) return { status: 400 }
    return { status: 201, setups: [this.#put(body)] }
  }

  update(externalId: string, body: ModelBody): Expected {
    if (!isValid(body, false)) return { status: 400 }
    if (!this.setups.has(externalId)) return { status: 404 }
    return { status: 200, setups: [this.#put({ ...body, external_id: externalId })] }
  }

  bulk(bodies: ModelBody[]): Expected {
    const ids = new Set(bodies.map(({ external_id }) => external_id))
    const valid = bodies.length > 0 && bodies.length <= 100 && ids.size === bodies.length
    if (!valid || !bodies.every((body) => isValid(body, true))) return { status: 400 }
    return { status: 200, setups: bodies.map((body) => this.#put(body)) }
  }

  delete(externalId: string): Expected {
    return { status: this.setups.delete(externalId) ? 204 : 404 }
  }

  get(externalId: string): Expected {
    const setup = this.setups.get(externalId)
    return setup ? { status: 200, setups: [setup] } : { status: 404 }
  }

  list(): Expected {
    return { status: 200, setups: [...this.setups.values()] }
  }

  #put(body: ModelBody): ModelSetup {
    const id = body.external_id ?? ''
    const old = this.setups.get(id)
    const configs = body.evaluator_configs ?? []
    const evaluators = [
      ...new Set([...(body.evaluators ?? old?.evaluators ?? []), ...configs.map(({ slug }) => slug)]),
    ]
    const scopes: Record<string, string> = {}
    if (body.evaluator_configs) for (const { slug, scope } of configs) if (scope) scopes[slug] = scope
    if (!body.evaluator_configs) {
      for (const slug of evaluators) if (old?.scopes[slug]) scopes[slug] = old.scopes[slug]
    }
    const setup = {
      external_id: id,
      evaluators,
      scopes,
      rules: body.selector ? storedRules(body.selector) : (old?.rules ?? []),
      entity_type: body.entity_type ?? old?.entity_type ?? '',
    }
    this.setups.set(id, setup)
    return setup
  }
}

function isValid(body: ModelBody, isNew: boolean): boolean {
  if (isNew && !body.external_id) return false
  if (isNew && !body.evaluators && !body.evaluator_configs?.length) return false
  if (body.evaluators && body.evaluators.length === 0) return false
  const configured = (body.evaluator_configs ?? []).map(({ slug }) => slug)
  if (new Set(configured).size !== configured.length) return false
  if (![...(body.evaluators ?? []), ...configured].every((slug) => SLUGS.has(slug))) return false
  if (
    !(body.evaluator_configs ?? []).every(
      ({ scope }) => !scope || ['span', 'trace', 'session'].includes(scope),
    )
  ) {
    return false
  }
  if (Array.isArray(body.selector)) return body.selector.every(isValidRule)
  // A whole number beyond 2^53 cannot be kept exactly and is refused.
  return Object.values(body.selector ?? {}).every(
    (value) => typeof value !== 'number' || value % 1 !== 0 || Math.abs(value) < 2 ** 53,
  )
}

function isValidRule({ operator = 'equals', value, values, source }: ModelInputRule): boolean {
  if (source !== 'span_attributes' && source !== 'resource_attributes') return false
  if (ONE_VALUE.includes(operator)) return value !== undefined
  if (MANY_VALUES.includes(operator)) return values !== undefined && values.length > 0
  return operator === 'exists' || operator === 'not_exists'
}

function storedRules(selector: ModelInputRule[] | Record<string, string | number | boolean>): ModelRule[] {
  if (Array.isArray(selector)) return selector.map(storedRule)
  return Object.entries(selector).map(([key, value]) => ({
    key,
    value: String(value),
    source: RESOURCE.test(key) ? 'resource_attributes' : 'span_attributes',
    operator: 'equals',
    value_type: typeof value,
  }))
}

function storedRule({ key, value, values, source, operator = 'equals' }: ModelInputRule): ModelRule {
  return {
    key,
    source,
    operator,
    value_type: 'string',
    ...(ONE_VALUE.includes(operator) && value !== undefined ? { value } : {}),
    ...(MANY_VALUES.includes(operator) && values !== undefined ? { values } : {}),
  }
}
