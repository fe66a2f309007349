import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { RawAnswer } from '../fuzzed-service.ts'
import { CANARY } from './fuzz-tenants.ts'
import type { RouteInput } from './make-request.ts'
import { problemWith } from './route-oracles.ts'

const request: RouteInput = {
  method: 'GET',
  path: '/v2/jobs?limit=x',
  key: 'read',
  headers: {},
  isValid: true,
}

function answer(status: number, body: unknown, headers: Record<string, string> = {}): RawAnswer {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: Buffer.from(text) }
}

describe('an answer', () => {
  test('that keeps every promise is no problem', () => {
    assert.equal(problemWith(request, answer(200, { jobs: [] })), undefined)
    assert.equal(
      problemWith(request, answer(400, { error: 'invalid input: limit must be a number' })),
      undefined,
    )
    assert.equal(problemWith(request, answer(503, { error: 'the store does not answer' })), undefined)
  })

  const broken: readonly [string, RawAnswer, RegExp][] = [
    ['500', answer(500, { error: 'internal server error' }), /answers 500/],
    ['a status that is not documented', answer(502, { error: 'no' }), /answers 502, which is not documented/],
    ['an error without the error object', answer(404, '<html>'), /404 has no error object/],
    ['an empty error', answer(404, { error: '' }), /404 has no error object/],
    ['a 400 that names no field', answer(400, { error: 'invalid input' }), /400 names no field/],
    [
      'an answer that does not fit its schema',
      answer(200, { jobs: [{ id: 1 }] }),
      /does not fit its schema: jobs\.0\.id/,
    ],
    ['a text of another tenant', answer(200, { jobs: [], more: CANARY }), /another tenant's data/],
    ['a header that the request has set', answer(200, { jobs: [] }, { 'x-injected': '1' }), /set a header/],
  ]
  for (const [what, given, expected] of broken)
    test(`with ${what} is one`, () => assert.match(problemWith(request, given) ?? '', expected))
})
