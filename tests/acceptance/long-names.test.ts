import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundedName } from '../../src/domain/bounded-name.ts'
import { startService } from '../support/service.ts'
import { createGroupSetup, GROUP, newSpan, resultsOf, sendSpans, until } from './result-calls.ts'
import { assertError } from './setup-calls.ts'

const service = await startService()

const long = (what: string) => `${what} `.repeat(400).trim()
const [session, otherSession] = [`${long('talk')} 1`, `${long('talk')} 2`]
const [model, serviceName] = [long('model'), long('dienst-ü')]

async function list(path: string, name: string, value: string): Promise<string[]> {
  const answer = await service.call('GET', `${path}?${name}=${encodeURIComponent(value)}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.traces.map(({ trace_id: id }: { trace_id: string }) => id)
}

test('200 finds by its whole name what was sent under a name of any length', async () => {
  await createGroupSetup(service, 'long', { evaluators: ['char-count'] })
  const spanOf = (sessionId: string) => {
    const attributes = { [GROUP]: 'long', 'session.id': sessionId, 'gen_ai.request.model': model }
    return newSpan({ answer: 'yes', attributes })
  }
  const [span, other] = [spanOf(session), spanOf(otherSession)]
  await sendSpans(service, [span, other], { resource: { 'service.name': serviceName } })
  await until(service, '/v2/traces', ({ traces }) => traces.length === 2)
  assert.deepEqual(await list('/v2/traces', 'session_id', session), [span.traceId])
  assert.deepEqual(await list('/v2/traces', 'session_id', boundedName(session)), [span.traceId])
  for (const [name, value] of [
    ['model', model],
    ['service', serviceName],
  ] as const) {
    assert.equal((await list('/v2/traces', name, value)).length, 2, name)
    const { usage } = await until(service, `/v2/usage?${name}=${encodeURIComponent(value)}`, () => true)
    assert.equal(usage[0]?.model_calls, 2, name)
  }
  const sessions = (await resultsOf(service, 'long', 2)).map(
    (result: { session_id: string }) => result.session_id,
  )
  assert.deepEqual(sessions.sort(), [boundedName(session), boundedName(otherSession)].sort())
})

test('201 keeps what is said about a session with a long name, 202 deletes the session', async () => {
  const path = `/v2/sessions/${encodeURIComponent(session)}`
  const score = { session_id: session, name: 'helpful', value: true }
  assert.equal((await service.call('POST', '/v2/scores', { body: score })).status, 201)
  const annotation = { entity_instance_id: session, tags: { polite: true } }
  const annotated = await service.call('POST', '/v2/annotation-tasks/t/annotations', { body: annotation })
  assert.equal(annotated.status, 201, annotated.text)
  const { scores, traces } = await until(service, path, () => true)
  assert.deepEqual([scores.length, traces.length], [2, 1])
  const said = await service.call('GET', `/v2/scores?session_id=${encodeURIComponent(session)}`)
  assert.equal(said.json.scores.length, 2)
  assert.equal((await service.call('DELETE', path)).status, 202)
  assertError(await service.call('GET', path), 404)
  assert.equal((await list('/v2/traces', 'session_id', otherSession)).length, 1)
})
