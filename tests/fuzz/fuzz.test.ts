import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runFuzz } from './fuzz.ts'
import { type Finding, FUZZ_KINDS } from './fuzz-kind.ts'

/** Of all kinds together; the long form (`npm run fuzz`) tries a million, with another seed each time. */
const INPUTS = 20_000
const SEED = 1
/** Far more than it takes, also beside eight busy loops. */
const TIMEOUT_MS = 1_800_000

describe(`of ${INPUTS} made-up inputs`, () => {
  for (const kind of FUZZ_KINDS) {
    test(`none of those for ${kind} breaks a promise`, { timeout: TIMEOUT_MS }, async () => {
      const report = await runFuzz(kind, { seed: SEED, inputs: INPUTS, store: 'sqlite' })
      assert.ok(report.inputs >= INPUTS / 20, `${report.inputs} inputs`)
      assert.equal(report.findings.map(toText).join('\n'), '')
    })
  }
})

function toText({ problem, times, input }: Finding): string {
  return `${problem} (${times} times): ${JSON.stringify(input)}`
}
