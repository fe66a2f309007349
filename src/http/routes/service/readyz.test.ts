import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordingLogger } from '../../../../tests/support/recording-logger.ts'
import type { RouteDeps } from '../../route.ts'
import { buildServer } from '../../server.ts'
import { healthzRoute } from './healthz.ts'
import { readyzRoute } from './readyz.ts'

function serverWhoseStore(checkReadiness: () => Promise<void>) {
  const deps = {
    checkReadiness,
    ids: { newId: () => 'id' },
    logger: recordingLogger([]),
    metrics: { countRequest() {} },
  } as unknown as RouteDeps
  return buildServer([healthzRoute, readyzRoute], deps, { bodyBytesMax: 1_024 })
}

test('200 when the store answers', async () => {
  const answer = await serverWhoseStore(async () => {}).inject('/readyz')
  assert.deepEqual([answer.statusCode, answer.json()], [200, { status: 'ready' }])
})

test('503 when the store does not answer, while the process stays healthy', async () => {
  const server = serverWhoseStore(() => Promise.reject(new Error('gone')))
  const answer = await server.inject('/readyz')
  assert.deepEqual([answer.statusCode, answer.json()], [503, { error: 'the store does not answer' }])
  assert.equal((await server.inject('/healthz')).statusCode, 200)
})
