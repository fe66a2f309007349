import assert from 'node:assert/strict'
import type { Answer } from '../support/call.ts'
import type { TestService } from '../support/service.ts'

/** The collection of auto monitor setups. */
export const SETUPS = '/v2/auto-monitor-setups'

/** The path of one setup, its external id percent-encoded. */
export function setupPath(externalId: string): string {
  return `${SETUPS}/${encodeURIComponent(externalId)}`
}

/** Creates a setup with one evaluator, unless told otherwise, and returns it; anything but a 201 fails the test. */
export async function createSetup(service: TestService, body: object, key?: string) {
  const answer = await service.call('POST', SETUPS, {
    body: { evaluators: ['char-count'], ...body },
    ...(key === undefined ? {} : { key }),
  })
  assert.equal(answer.status, 201, answer.text)
  return answer.json
}

/** Reads a setup; anything but a 200 fails the test. */
export async function readSetup(service: TestService, externalId: string, key?: string) {
  const answer = await service.call('GET', setupPath(externalId), key === undefined ? {} : { key })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

/** Asserts the error object and nothing beside it, with this exact message or one that matches. */
export function assertError(answer: Answer, status: number, message: string | RegExp = /./): void {
  assert.equal(answer.status, status, answer.text)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  assert.deepEqual(Object.keys(answer.json), ['error'], answer.text)
  if (typeof message === 'string') assert.equal(answer.json.error, message)
  else assert.match(answer.json.error, message)
}

/** Slug, and scope where there is one, of every entry of a setup. */
export function entriesOf(setup: { evaluators: { evaluator_type: string; scope?: string }[] }): string[] {
  return setup.evaluators.map(({ evaluator_type: slug, scope }) =>
    scope === undefined ? slug : `${slug}@${scope}`,
  )
}
