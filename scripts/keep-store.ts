// Writes the stores that tests/operations/kept-stores.test.ts opens: `npm run keep-store -- <name>` runs a service of this
// version on each kind of store, uses every part of it, and keeps what it wrote. Run it before the schema changes.

import { writeFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { keepPostgres, keepSqlite, keptFile, seenAnswers } from '../tests/support/kept-store.ts'
import { emptyDatabase } from '../tests/support/postgres-store.ts'
import { startService, type TestService } from '../tests/support/service.ts'
import { chatSpan, eventually, idsOf, sendSpans, untilStatus } from '../tests/support/spans.ts'
import { temporaryDirectory } from '../tests/support/temporary-directory.ts'

const name = process.argv[2]
if (!name || !/^[\w.-]+$/.test(name)) {
  console.error('Usage: npm run keep-store -- <name>, for example 0.1.0')
  process.exit(2)
}
after(() => console.log('Commit what is new in tests/testdata/stores.'))

test('the embedded store', async () => {
  const dataDir = temporaryDirectory()
  const service = await startService({ ASSAY_DATA_DIR: dataDir, ASSAY_SETUP_REST_MS: '0' })
  await useEverything(service)
  const answers = await seenAnswers(service)
  await service.close()
  await keepSqlite(name, dataDir)
  await writeAnswers(`${name}.sqlite`, answers)
})

test('PostgreSQL', async () => {
  const url = await emptyDatabase()
  const service = await startService({ ASSAY_DATABASE_URL: url, ASSAY_SETUP_REST_MS: '0' })
  await useEverything(service)
  const answers = await seenAnswers(service)
  await service.close()
  await keepPostgres(name, url)
  await writeAnswers(`${name}.postgres`, answers)
})

async function writeAnswers(of: string, answers: Record<string, unknown>): Promise<void> {
  await writeFile(keptFile(of, 'answers'), `${JSON.stringify({ atMs: Date.now(), answers }, undefined, 1)}\n`)
}

/** Setups of every scope, spans that match and that do not, sessions, annotations, a job, a budget and a deletion. */
async function useEverything(service: TestService): Promise<void> {
  const post = async (path: string, body: object) => {
    const answer = await service.call('POST', path, { body })
    if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`)
    return answer.json
  }
  await post('/v2/auto-monitor-setups', { external_id: 'lengths', evaluators: ['char-count', 'word-count'] })
  await post('/v2/auto-monitor-setups', {
    external_id: 'traces',
    evaluators: ['word-count'],
    evaluator_configs: [{ slug: 'word-count', scope: 'trace' }],
  })
  await post('/v2/auto-monitor-setups', { external_id: 'fails', evaluators: ['answer-correctness'] })
  const names = Array.from({ length: 12 }, (_, nth) => `span ${nth}`)
  for (const [nth, span] of names.entries())
    await sendSpans(service, [
      chatSpan(span, {
        completion: `Answer ${nth}: ${'word '.repeat(nth)}`,
        attributes: {
          'session.id': `session ${nth % 3}`,
          'gen_ai.usage.input_tokens': nth,
          'gen_ai.usage.output_tokens': 2 * nth,
        },
      }),
    ])
  await untilStatus(service, 'lengths', 'completed')
  await untilStatus(service, 'fails', 'failed')
  const scored = (count: number, query = '') =>
    eventually(async () => {
      const { json } = await service.call('GET', `/v2/evaluations?limit=100${query}`)
      return json.evaluations.length >= count
    }, `${count} evaluations`)
  await scored(36)
  await post('/v2/scores', { ...idsOf('span 1'), name: 'helpful', value: 1 })
  await service.call('PUT', '/v2/budgets', { body: { day_usd: 1.25 } })
  const { id } = await post('/v2/evaluations/rerun', {})
  await eventually(
    async () => (await service.call('GET', `/v2/jobs/${id}`)).json.state === 'done',
    'the rerun',
  )
  await service.call('DELETE', `/v2/traces/${idsOf('span 11').trace_id}`)
  await eventually(
    async () => (await service.call('GET', `/v2/traces/${idsOf('span 11').trace_id}`)).status === 404,
    'the deletion',
  )
  // Counts follow when the rows are erased, and what is kept must not change any more.
  await eventually(async () => {
    const { monitors } = (await service.call('GET', '/v2/monitors')).json
    return monitors.every(({ counts }: { counts: { scored?: number } }) => counts.scored === names.length - 1)
  }, 'the erasure')
}
