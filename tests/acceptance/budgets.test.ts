import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { startFakeModel } from '../../src/cli/fake-judge/fake-model-server.ts'
import { startRestingService } from '../support/service.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const model = await startFakeModel()
after(() => model.close())
const service = await startRestingService({ OPENAI_BASE_URL: model.url })

test('200 sets, shows and replaces the budget of the project and of a setup', async () => {
  const setup = { external_id: 'checkout', evaluators: ['char-count'] }
  await service.call('POST', '/v2/auto-monitor-setups', { body: setup })
  const project = await service.call('PUT', '/v2/budgets', { body: { day_usd: 1.25, month_usd: 20 } })
  assert.equal(project.status, 200)
  const { updated_at, ...shown } = project.json
  assert.ok(updated_at)
  assert.deepEqual(shown, { day_usd: 1.25, month_usd: 20, spent_day_usd: 0, spent_month_usd: 0 })
  const body = { external_id: 'checkout', day_usd: 0.000001 }
  const ofSetup = await service.call('PUT', '/v2/budgets', { body })
  assert.deepEqual(
    [ofSetup.json.external_id, ofSetup.json.day_usd, 'month_usd' in ofSetup.json],
    ['checkout', 0.000001, false],
  )
  const replaced = await service.call('PUT', '/v2/budgets', { body: { month_usd: 5 } })
  assert.ok(!('day_usd' in replaced.json))
  const listed = await service.call('GET', '/v2/budgets')
  assert.deepEqual(listed.json, { budgets: [replaced.json, ofSetup.json] })
})

test('204 removes a budget, 404 when there is none', async () => {
  await service.call('PUT', '/v2/budgets', { body: { day_usd: 1 } })
  assert.equal((await service.call('DELETE', '/v2/budgets')).status, 204)
  const again = await service.call('DELETE', '/v2/budgets')
  assert.deepEqual([again.status, again.json], [404, { error: 'budget not found' }])
  assert.equal((await service.call('DELETE', '/v2/budgets?external_id=nothing')).status, 404)
})

for (const [name, body, status, message] of [
  ['no amount', {}, 400, 'invalid input: day_usd is required unless month_usd is given'],
  ['a negative amount', { day_usd: -1 }, 400, 'invalid input: day_usd must be at least 0'],
  ['an amount as text', { month_usd: '5' }, 400, 'invalid input: month_usd must be a number'],
  ['an unknown setup', { external_id: 'nobody', day_usd: 1 }, 404, 'setup not found'],
] as const) {
  test(`${status} for ${name}`, async () => {
    const answer = await service.call('PUT', '/v2/budgets', { body })
    assert.deepEqual([answer.status, answer.json], [status, { error: message }])
  })
}

test('403 to change a budget without the admin scope', async () => {
  const { json } = await service.call('POST', '/v2/api-keys', { body: { name: 'app' } })
  const key = json.api_key
  assert.equal((await service.call('PUT', '/v2/budgets', { key, body: { day_usd: 9 } })).status, 403)
  assert.equal((await service.call('DELETE', '/v2/budgets', { key })).status, 403)
  assert.equal((await service.call('GET', '/v2/budgets', { key })).status, 200)
})

test('429 when the budget is spent, and the spend is told by day and model, to its own project only', async () => {
  const prices = path.join(temporaryDirectory(), 'prices.json')
  writeFileSync(prices, JSON.stringify({ 'openai/dear': { input: 1_000, output: 1_000 } }))
  const dear = await startRestingService({ OPENAI_BASE_URL: model.url, ASSAY_JUDGE_PRICES: prices })
  const body = {
    name: 'Dear',
    slug: 'dear',
    provider: 'openai',
    model: 'dear',
    messages: [{ role: 'user', content: '{{text}}' }],
    input_schema: [{ name: 'text', type: 'string' }],
    output_schema: [{ name: 'pass', type: 'boolean' }],
  }
  assert.equal((await dear.call('POST', '/v2/evaluators', { body })).status, 200)
  const execute = (text: string) =>
    dear.call('POST', '/v2/evaluators/dear/execute', { body: { input: { text } } })
  assert.equal((await execute('first')).status, 200)
  assert.equal((await dear.call('PUT', '/v2/budgets', { body: { day_usd: 0.01 } })).status, 200)

  let answer = await execute('second')
  const deadline = Date.now() + 300_000
  for (let round = 0; answer.status === 200 && Date.now() < deadline; round++)
    answer = await execute(`${round}`)
  assert.equal(answer.status, 429)
  assert.match(answer.json.error, /budget/)

  let usage: Record<string, unknown>[] = []
  while (usage.length === 0 && Date.now() < deadline) {
    usage = (await dear.call('GET', '/v2/judge-usage')).json.usage
  }
  const [line] = usage
  assert.equal(line?.['day'], new Date().toISOString().slice(0, 10))
  assert.equal(line?.['model'], 'openai/dear')
  assert.ok(Number(line?.['calls']) >= 1 && Number(line?.['prompt_tokens']) > 0)
  assert.ok(Number(line?.['cost_usd']) > 0)
  assert.ok(!('external_id' in (line ?? {})))
  const spent = (await dear.call('GET', '/v2/budgets')).json.budgets[0]
  assert.ok(spent.spent_day_usd > 0.01 && spent.spent_month_usd >= spent.spent_day_usd)

  const { json } = await dear.call('POST', '/v2/organizations', { body: { org_name: 'Other' } })
  const other = { key: json.environments[0].api_key }
  assert.deepEqual((await dear.call('GET', '/v2/judge-usage', other)).json, { usage: [] })
  assert.deepEqual((await dear.call('GET', '/v2/budgets', other)).json, { budgets: [] })
})

for (const [query, message] of [
  ['from=yesterday', 'from must be a date like 2026-01-31'],
  ['from=2026-02-02&until=2026-02-01', 'from must not be after until'],
  ['from=2026-01-01&until=2026-02-01', 'from must be less than 31 days before until'],
] as const) {
  test(`400 for usage of ${query}`, async () => {
    const answer = await service.call('GET', `/v2/judge-usage?${query}`)
    assert.deepEqual([answer.status, answer.json], [400, { error: `invalid input: ${message}` }])
  })
}

test('200 with no usage where nothing was asked', async () => {
  const answer = await service.call('GET', '/v2/judge-usage?from=2026-01-01&until=2026-01-31')
  assert.deepEqual([answer.status, answer.json], [200, { usage: [] }])
})
