import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { emptyDatabase } from '../support/postgres-store.ts'
import { startService } from '../support/service.ts'
import { chatSpan, sendSpans } from '../support/spans.ts'
import { POSTGRES_FAULTS, runPostgresRound, StatementSaboteur, until } from './postgres-faults.ts'

/** Statements that go wrong in turn; with FAULTS_EVERY=1 every one up to the last of a round. */
const STATEMENTS_MAX = 150
const EVERY = Number(process.env['FAULTS_EVERY'] ?? 97)

test('whatever fails at whichever statement, PostgreSQL loses, hides and doubles nothing and the service recovers by itself', async () => {
  const saboteur = new StatementSaboteur()
  after(() => saboteur.close())
  const service = await startService({
    ASSAY_DATABASE_URL: await emptyDatabase(),
    ASSAY_SETUP_REST_MS: '0',
    ASSAY_TRACE_QUIET_MS: '0',
  })
  for (const [externalId, scope] of [
    ['spans', 'span'],
    ['traces', 'trace'],
  ]) {
    const evaluators = ['char-count']
    const body = { external_id: externalId, evaluators, evaluator_configs: [{ slug: 'char-count', scope }] }
    assert.equal((await service.call('POST', '/v2/auto-monitor-setups', { body })).status, 201)
  }
  await sendSpans(service, [chatSpan('first')])
  for (const externalId of ['spans', 'traces'])
    await until(async () => {
      const { json } = await service.call('GET', `/v2/auto-monitor-setups/${externalId}`)
      return json.status === 'completed'
    }, `${externalId} is bound`)
  let struck = 0
  let runs = 0
  for (const [at, fault] of POSTGRES_FAULTS.entries()) {
    for (let n = 1 + at * 5; n <= STATEMENTS_MAX; n += EVERY) {
      await runPostgresRound(service, saboteur, fault, n).catch((error) => {
        const log = service.logLines.slice(-5).join('\n')
        throw new Error(`${fault.name} at statement ${n}; the log ends with\n${log}`, { cause: error })
      })
      runs++
      if (saboteur.hasStruck) struck++
    }
  }
  assert.ok(struck >= runs / 2, `only ${struck} of ${runs} faults happened`)
  await checkCounts(service)
  console.log(`${runs} rounds on PostgreSQL, ${struck} faults`)
})

/** The counts of each monitor equal its scores, once what was deleted is erased. */
async function checkCounts(service: Awaited<ReturnType<typeof startService>>): Promise<void> {
  await until(async () => {
    const { json } = await service.call('GET', '/v2/monitors')
    const counted = (json.monitors as { counts: Record<string, number> }[]).reduce(
      (sum, { counts }) => sum + (counts['scored'] ?? 0),
      0,
    )
    let rows = 0
    for (let cursor = ''; ; ) {
      const page = (await service.call('GET', `/v2/evaluations?limit=1000${cursor}`)).json
      rows += page.evaluations.length
      if (!page.next_cursor) break
      cursor = `&cursor=${page.next_cursor}`
    }
    return counted === rows && rows > 0
  }, 'counts equal scores')
}
