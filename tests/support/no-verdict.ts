import assert from 'node:assert/strict'
import { NoVerdict, type NoVerdictReason } from '../../src/domain/no-verdict.ts'

/** Asserts that there is no verdict, why, and in which words; gives the error back. */
export async function rejectsWith(
  promise: Promise<unknown>,
  reason: NoVerdictReason,
  message = /./,
): Promise<NoVerdict> {
  const error = await promise.then(
    () => assert.fail('there is a verdict'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof NoVerdict, String(error))
  assert.equal(error.reason, reason, error.message)
  assert.match(error.message, message)
  return error
}
