import assert from 'node:assert/strict'
import { call, FIRST_KEY } from '../../support/call.ts'
import { chatSpan, eventually, idsOf, sendSpans, untilStatus } from '../../support/spans.ts'
import { callOrFail } from '../fuzzed-service.ts'

/** Stands in every text that belongs to the victim; no answer to another tenant may hold it. */
export const CANARY = 'canary-4f1b7c0a9d'

/** The keys that requests are sent with. */
export const KEY_NAMES = [
  'admin',
  'read',
  'write',
  'ingest',
  'operator',
  'revoked',
  'unknown',
  'none',
] as const
export type KeyName = (typeof KEY_NAMES)[number]

/** The tenants of a run: one that attacks with many keys, and one whose data must stay its own. */
export interface FuzzTenants {
  readonly keys: Readonly<Record<KeyName, string | undefined>>
  /** Values that placeholders stand for at the start. */
  readonly known: Readonly<Record<string, readonly string[]>>
  /** Everything that the victim sees of its own data. */
  readVictim(): Promise<string>
}

/** Makes the tenants and gives the victim something of everything. */
export async function createTenants(url: string): Promise<FuzzTenants> {
  const attacker = await createOrganization(url, 'attacker')
  const victim = await createOrganization(url, `victim ${CANARY}`)
  const make = (method: string, path: string, body?: unknown) => callOrFail(url, method, path, attacker, body)
  const keyWith = async (...scopes: string[]) => make('POST', '/v2/api-keys', { name: 'fuzz', scopes })
  const [read, write, ingest, revoked, spareKey] = await Promise.all([
    keyWith('read'),
    keyWith('write'),
    keyWith('ingest'),
    keyWith('ingest', 'read', 'write', 'admin'),
    keyWith('read'),
  ])
  await make('DELETE', `/v2/api-keys/${revoked.id}`)
  const spareProject = await make('POST', '/v2/projects', { name: 'spare' })
  await monitorSpans(url, attacker, 'fuzz-0', 'spans of the attacker')
  await make('POST', '/v2/evaluators', politeness('fuzz-slug', 'fuzz'))
  const victimIds = await fillVictim(url, victim)
  return {
    keys: {
      admin: attacker,
      read: read.api_key,
      write: write.api_key,
      ingest: ingest.api_key,
      operator: FIRST_KEY,
      revoked: revoked.api_key,
      unknown: 'unknown-key-0123456789',
      none: undefined,
    },
    known: {
      ...(await idsOfResults(url, attacker, '')),
      project: [spareProject.id],
      api_key: [spareKey.id],
      ...victimIds,
    },
    readVictim: () => readVictim(url, victim),
  }
}

async function createOrganization(url: string, name: string): Promise<string> {
  const made = await callOrFail(url, 'POST', '/v2/organizations', FIRST_KEY, { org_name: name })
  return made.environments[0].api_key
}

async function monitorSpans(url: string, key: string, externalId: string, text: string): Promise<void> {
  const body = {
    external_id: externalId,
    evaluators: ['char-count', 'word-count'],
    selector: { 'gen_ai.system': 'openai' },
    entity_value: text,
  }
  await callOrFail(url, 'POST', '/v2/auto-monitor-setups', key, body)
  const service = { call: (method: string, path: string, options = {}) => call(url, method, path, options) }
  const span = chatSpan(text, { prompt: text, completion: text, attributes: { 'session.id': text } })
  await sendSpans(service, [span], { key })
  await untilStatus(service, externalId, 'completed', { key })
  const { trace_id: traceId } = idsOf(text)
  await eventually(async () => {
    const { json } = await call(url, 'GET', `/v2/evaluations?trace_id=${traceId}`, { key })
    const trace = await call(url, 'GET', `/v2/traces/${traceId}`, { key })
    return json.evaluations.length === 2 && trace.status === 200
  }, `${externalId} is scored`)
}

/** Gives the victim data under names that the attacker will guess; only the texts in them hold the canary. */
async function fillVictim(url: string, key: string) {
  await monitorSpans(url, key, 'victim-setup', CANARY)
  const trace = idsOf(CANARY).trace_id
  const make = (method: string, path: string, body: unknown) => callOrFail(url, method, path, key, body)
  await make('POST', '/v2/evaluators', politeness('victim-evaluator', CANARY))
  await make('POST', '/v2/scores', { trace_id: trace, name: `helpful ${CANARY}`, value: 1, comment: CANARY })
  const project = await make('POST', '/v2/projects', { name: CANARY })
  const apiKey = await make('POST', '/v2/api-keys', { name: CANARY })
  await make('PUT', '/v2/budgets', { day_usd: 7 })
  return {
    ...(await idsOfResults(url, key, 'victim_')),
    victim_project: [project.id as string],
    victim_api_key: [apiKey.id as string],
  }
}

/** A custom evaluator with a text in everything that people read. */
function politeness(slug: string, text: string) {
  return {
    name: `Politeness ${text}`,
    slug,
    provider: 'openai',
    model: 'gpt-4o',
    messages: [{ role: 'user', content: `Is this polite? ${text}\n{{completion}}` }],
    input_schema: [{ name: 'completion', type: 'string' }],
    output_schema: [{ name: 'is_polite', type: 'boolean' }],
  }
}

/** The ids of a tenant's monitors and evaluations, by the placeholders that stand for them. */
async function idsOfResults(url: string, key: string, prefix: string): Promise<Record<string, string[]>> {
  const { monitors } = await callOrFail(url, 'GET', '/v2/monitors', key)
  const { evaluations } = await callOrFail(url, 'GET', '/v2/evaluations', key)
  const idOf = ({ id }: { id: string }) => id
  return { [`${prefix}monitor`]: monitors.map(idOf), [`${prefix}evaluation`]: evaluations.map(idOf) }
}

const VICTIM_READS = [
  '/v2/auto-monitor-setups',
  '/v2/evaluators?source=custom',
  `/v2/traces/${idsOf(CANARY).trace_id}`,
  '/v2/evaluations',
  '/v2/monitors',
  '/v2/scores',
  '/v2/projects',
  '/v2/api-keys',
  '/v2/budgets',
]

async function readVictim(url: string, key: string): Promise<string> {
  const texts: string[] = []
  for (const path of VICTIM_READS) {
    const { status, text } = await call(url, 'GET', path, { key })
    assert.equal(status, 200, `${path}: ${text}`)
    texts.push(`${path}: ${text}`)
  }
  return texts.join('\n')
}
