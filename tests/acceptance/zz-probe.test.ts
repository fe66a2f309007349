import { startService } from '../support/service.ts'

const s = await startService()
const show = async (m: string, p: string, o = {}) => {
  const a = await s.call(m, p, o)
  console.log(m, p, JSON.stringify(o), '->', a.status, a.text.slice(0, 1500))
  return a
}
const o = await s.call('GET', '/openapi.json')
const c = o.json.components.schemas
for (const k of Object.keys(c))
  if (JSON.stringify(c[k]).length < 80) console.log('SELF', k, JSON.stringify(c[k]))
for (const k of [
  'ApiKeyInput',
  'ApiKeyCreated',
  'OrganizationInput',
  'OrganizationCreated',
  'Project',
  'ProjectInput',
  'Environment',
  'EnvironmentInput',
  'Error',
  'SelectorRuleInput',
  'SetupInput',
  'SetupItem',
  'BulkSetupsInput',
])
  console.log(k, JSON.stringify(c[k]))
console.log(JSON.stringify(o.json.components.securitySchemes))
await show('POST', '/v2/auto-monitor-setups', {
  body: {
    external_id: 'a',
    evaluators: ['char-count', 'pii-detector'],
    selector: [{ key: 'k', value: 'v', source: 'span_attributes' }],
    evaluator_configs: [{ slug: 'pii-detector', scope: 'trace', config: { probability_threshold: 0.3 } }],
  },
})
await show('POST', '/v2/organizations', { body: { org_name: 'x', envs: ['dev', 'prd'] } })
await show('POST', '/v2/organizations', { body: { org_name: 'x' } })
const p = await show('POST', '/v2/projects', { body: { name: 'p2' } })
await show('GET', '/v2/projects')
await show('POST', `/v2/projects/${p.json?.id}/environments`, { body: { slug: 'qa' } })
await show('GET', '/v2/api-keys')
await show('POST', '/v2/api-keys', { body: {} })
await show('POST', '/v2/api-keys', { body: { name: 'n', scopes: ['read'] } })
await show('POST', '/v2/api-keys', {
  body: { name: 'n', scopes: ['read'], project_id: p.json?.id, environment: 'qa' },
})
await show('GET', '/metrics')
await show('GET', '/healthz')
await show('GET', '/readyz')
console.log((await s.call('GET', '/docs')).text.slice(0, 3000))
console.log(s.logLines.slice(0, 30).join('\n'))
