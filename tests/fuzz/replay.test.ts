import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { openFuzzKind } from './fuzz.ts'
import { FUZZ_KINDS, type FuzzKind } from './fuzz-kind.ts'
import { readFailures } from './saved-failures.ts'

const TIMEOUT_MS = 600_000

for (const name of FUZZ_KINDS) {
  const saved = readFailures(name)
  // Without any there is nothing to replay, and no service to start for it.
  if (saved.size === 0) continue
  describe(`inputs that once broke ${name}`, () => {
    let opened: Promise<FuzzKind> | undefined
    after(async () => (await opened)?.close())
    for (const [file, { problem, input }] of saved) {
      test(`${file} does so no more (${problem.slice(0, 100)})`, { timeout: TIMEOUT_MS }, async () => {
        opened ??= openFuzzKind(name, { ASSAY_DATA_DIR: temporaryDirectory() })
        const kind = await opened
        assert.equal(await kind.attempt(input), undefined)
        assert.deepEqual(await kind.checkHealth(), [])
      })
    }
  })
}
