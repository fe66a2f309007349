import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { ROUTES } from '../../src/http/routes.ts'
import { encodeTraces } from '../otlp/encode-traces.ts'
import type { CallOptions } from '../support/call.ts'
import { chatSpan, eventually, idsOf, sendSpans } from '../support/spans.ts'
import { startFaultyService } from '../support/store-faults.ts'
import { createSetup } from './setup-calls.ts'

const { service, faults, breakStore, mendStore } = await startFaultyService({
  ASSAY_SECRETS_KEY: randomBytes(32).toString('base64'),
})

/** Operations that change nothing in the store, though their method is not GET. */
const READS_ONLY =
  /^(dryRunAutoMonitorSetup|tryCustomEvaluator|tryEvaluator|runTrial|testJudge|execute.*|exportMetrics|nameSpanImage|queryMetrics|queryProjectSpans|queryRootSpans)$/

/** These need results, and no setup of this service is processed; they write like the others do. */
const NEEDING_RESULTS =
  /^(createReviewQueue|deleteReviewQueue|answerReviewItem|withdrawReviewAnswer|dismissIncident|reopenIncident)$/

const judge = {
  provider: 'openai',
  model: 'gpt-4o',
  messages: [{ role: 'user', content: 'Is this polite?\n{{completion}}' }],
  input_schema: [{ name: 'completion', type: 'string' }],
  output_schema: [{ name: 'is_polite', type: 'boolean' }],
}
const setup = (externalId: string) => ({ external_id: externalId, evaluators: ['char-count'] })
const spanBody = (name: string) => ({
  body: encodeTraces([
    {
      resource: { 'service.name': 'shop' },
      scopes: [{ spans: [chatSpan(name, { completion: 'x'.repeat(9_000) })] }],
    },
  ]),
  headers: { 'content-type': 'application/x-protobuf' },
})

function logsBody(name: string) {
  const { trace_id, span_id } = idsOf(name)
  const body = { stringValue: 'x'.repeat(9_000) }
  const record = { traceId: trace_id, spanId: span_id, eventName: 'gen_ai.user.message', body }
  return { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
async function make(path: string, body: object, status = 201): Promise<any> {
  const answer = await service.call('POST', path, { body })
  assert.equal(answer.status, status, answer.text)
  return answer.json
}

await createSetup(service, setup('there'))
await make('/v2/evaluators', { ...judge, name: 'Mine', slug: 'mine' }, 200)
await sendSpans(service, [chatSpan('stored', { attributes: { 'gen_ai.conversation.id': 'talk' } })])
const { trace_id: traceId, span_id: spanId } = idsOf('stored')
await eventually(
  async () => (await service.call('GET', `/v2/traces/${traceId}`)).status === 200,
  'the span is in its trace',
)
const job = await make('/v2/auto-monitor-setups/there/backfill', {})
const spare = await make('/v2/api-keys', { name: 'spare' })
await service.call('PUT', '/v2/provider-keys/openai', { body: { api_key: 'sk-0123456789' } })
await service.call('PUT', '/v2/judges/default', { body: { provider: 'openai', model: 'tiny' } })
await service.call('PUT', '/v2/budgets', { body: { day_usd: 1 } })
await createSetup(service, setup('gone'))
await service.call('DELETE', '/v2/auto-monitor-setups/gone')
const view = await make('/v2/saved-views', { name: 'Mine' })
const score = await make('/v2/scores', { trace_id: traceId, name: 'helpful', value: true })
const { org_id: orgId } = (await service.call('GET', '/v2/whoami')).json
const projectId = (await service.call('GET', '/v2/projects')).json.projects[0].id

/** A PNG as far as its first bytes tell, of more bytes than fit into what is left of a full store. */
const IMAGE = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(9_000)]).toString('base64')

/** A request for each operation that writes, which passes all checks and reaches the store. */
const WRITES: Readonly<Record<string, readonly [path: string, options?: CallOptions]>> = {
  createAutoMonitorSetup: ['/v2/auto-monitor-setups', { body: setup('new') }],
  bulkUpsertAutoMonitorSetups: ['/v2/auto-monitor-setups/bulk', { body: { setups: [setup('bulk')] } }],
  updateAutoMonitorSetup: ['/v2/auto-monitor-setups/there', { body: { evaluators: ['word-count'] } }],
  deleteAutoMonitorSetup: ['/v2/auto-monitor-setups/there'],
  createCustomEvaluator: ['/v2/evaluators', { body: { ...judge, name: 'New', slug: 'new' } }],
  createCustomEvaluatorOldPath: [
    '/v2/evaluators/custom-evaluator',
    { body: { ...judge, name: 'N', slug: 'n' } },
  ],
  updateCustomEvaluator: ['/v2/evaluators/mine', { body: { name: 'Another name' } }],
  startExecution: [
    '/v2/evaluators/char-count/executions',
    { body: { input_schema_mapping: { text: { source: 'a' } } } },
  ],
  exportTraces: ['/v1/traces', spanBody('unstored')],
  exportLogs: ['/v1/logs', { body: logsBody('unstored') }],
  uploadSpanImage: [`/v2/traces/${traceId}/spans/${spanId}/images/a.png`, { body: { image_data: IMAGE } }],
  createScore: ['/v2/scores', { body: { trace_id: traceId, name: 'helpful', value: true } }],
  createAnnotation: [
    '/v2/annotation-tasks/helpful/annotations',
    {
      body: {
        actor: { type: 'service', id: 'test' },
        entity_instance_id: traceId,
        tags: { helpful: 'yes' },
        source: 'sdk',
        flow: 'user_feedback',
      },
    },
  ],
  backfillAutoMonitorSetup: ['/v2/auto-monitor-setups/there/backfill', { body: {} }],
  rerunEvaluations: ['/v2/evaluations/rerun', { body: { filter: { external_id: 'there' } } }],
  cancelJob: [`/v2/jobs/${job.id}/cancel`],
  putProviderKey: ['/v2/provider-keys/openai', { body: { api_key: 'sk-9876543210' } }],
  deleteProviderKey: ['/v2/provider-keys/openai'],
  putDefaultJudge: ['/v2/judges/default', { body: { provider: 'openai', model: 'tiny' } }],
  deleteDefaultJudge: ['/v2/judges/default'],
  putBudget: ['/v2/budgets', { body: { day_usd: 2 } }],
  deleteBudget: ['/v2/budgets'],
  restoreAutoMonitorSetup: ['/v2/auto-monitor-setups/gone/restore'],
  createSavedView: ['/v2/saved-views', { body: { name: 'New' } }],
  updateSavedView: [`/v2/saved-views/${view.id}`, { body: { name: 'Another' } }],
  deleteSavedView: [`/v2/saved-views/${view.id}`],
  deleteScore: [`/v2/scores/${score.id}`],
  deleteTrace: [`/v2/traces/${traceId}`],
  deleteSession: ['/v2/sessions/talk'],
  deleteProjectData: [`/v2/projects/${projectId}/data`],
  createOrganization: ['/v2/organizations', { body: { org_name: 'New' } }],
  putOrganizationLimits: [`/v2/organizations/${orgId}/limits`, { body: { setups: 9 } }],
  createProject: ['/v2/projects', { body: { name: 'New', slug: 'new' } }],
  createEnvironment: [`/v2/projects/${projectId}/environments`, { body: { name: 'New', slug: 'new' } }],
  createApiKey: ['/v2/api-keys', { body: { name: 'new' } }],
  revokeApiKey: [`/v2/api-keys/${spare.id}`],
}

test('the table names every operation that writes', () => {
  const isLeftOut = (id: string) => READS_ONLY.test(id) || NEEDING_RESULTS.test(id)
  const writing = ROUTES.filter((route) => route.method !== 'GET' && !isLeftOut(route.operationId))
  assert.deepEqual(Object.keys(WRITES).toSorted(), writing.map((route) => route.operationId).toSorted())
})

for (const { name, reason } of faults) {
  test(`503 for every write while the store is ${name}; reads go on, and so do writes afterwards`, async () => {
    await breakStore(name)
    const wrong: string[] = []
    for (const [operationId, [path, options]] of Object.entries(WRITES)) {
      const method = ROUTES.find((route) => route.operationId === operationId)?.method ?? ''
      const answer = await service.call(method, path, options)
      const isRight = answer.status === 503 && /^\d+$/.test(answer.headers.get('retry-after') ?? '')
      if (!isRight) wrong.push(`${operationId}: ${answer.status} ${answer.text}`)
    }
    assert.deepEqual(wrong, [])
    const refused = await service.call('POST', '/v2/auto-monitor-setups', { body: setup('refused') })
    assert.match(refused.json.error, reason)
    assert.equal((await service.call('GET', `/v2/traces/${traceId}`)).status, 200)
    const notReady = await eventually(async () => {
      const answer = await service.call('GET', '/readyz', { key: null })
      return answer.status === 503 && answer
    }, 'the service says that it is not ready')
    assert.match(notReady.json.error, reason)
    assert.equal((await service.call('GET', '/healthz', { key: null })).status, 200)

    await mendStore()
    await eventually(
      async () => (await service.call('GET', '/readyz', { key: null })).status === 200,
      'the service is ready again',
    )
    await createSetup(service, setup(`after-${name}`))
    await sendSpans(service, [chatSpan(`after ${name}`)])
  })
}
