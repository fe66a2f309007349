import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { test } from 'node:test'
import { FIRST_KEY } from '../support/call.ts'
import { inheritedEnvironment } from '../support/process.ts'
import { spawnTestService } from '../support/process-in-test.ts'
import { callable, createSetupOf, untilScored } from '../support/service-calls.ts'
import { chatSpan, sendSpans } from '../support/spans.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { testStore } from '../support/test-store.ts'

const ASSAY = path.resolve(import.meta.dirname, '../../scripts/assay.ts')

/** Runs the command as an operator does; returns its output and its exit code. */
async function verify(env: Readonly<Record<string, string>>, ...args: string[]) {
  const child = spawn(process.execPath, [ASSAY, 'verify', ...args], {
    env: { ...inheritedEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const [code] = await once(child, 'close')
  return { code, output }
}

test('verifies and repairs a store beside the service, in plain words', async () => {
  const store = await testStore(temporaryDirectory())
  const service = await spawnTestService({ ...store.env, ASSAY_API_KEY: FIRST_KEY, ASSAY_SETUP_REST_MS: '0' })
  await createSetupOf(service, 'all', 'char-count')
  await sendSpans(callable(service), [chatSpan('one'), chatSpan('two')])
  for (const name of ['one', 'two']) await untilScored(service, name, ['all'])
  const sound = await verify(store.env)
  assert.equal(sound.code, 0, sound.output)
  assert.match(sound.output, /The store is sound\./)

  await store.run('DELETE FROM spans')
  const found = await verify(store.env)
  assert.equal(found.code, 1)
  assert.match(
    found.output,
    /WRONG {2}batches, their index and digests: 1 batch\n +2 spans are missing from the index; can be repaired/,
  )
  assert.match(found.output, /2 faults found, 0 repaired\. "assay verify --repair"/)
  const repaired = await verify(store.env, '--repair')
  assert.equal(repaired.code, 0, repaired.output)
  assert.match(repaired.output, /2 faults found, 2 repaired/)
  assert.equal((await verify(store.env)).code, 0)
  const misspelt = await verify(store.env, '--fix')
  assert.equal(misspelt.code, 2)
})
