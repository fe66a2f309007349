import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { KEY_PLACEHOLDER, openTelemetryJs, traceloopJs } from '../../dashboard/src/ui/send-spans-snippets.ts'
import { FIRST_KEY } from '../support/call.ts'
import { startService } from '../support/service.ts'
import { readStoredSpans } from '../support/stored-spans.ts'

// Runs the snippets that the dashboard offers, each as a program of its own with the packages it names.
const service = await startService()
const address = { origin: service.url, path: '/v1/traces' }
const run = promisify(execFile)

/** Beside this file, because that is where the packages are found. */
async function runSnippet(name: string, text: string): Promise<void> {
  const file = fileURLToPath(new URL(`./${name}-${process.pid}.mjs`, import.meta.url))
  after(() => rmSync(file, { force: true }))
  writeFileSync(file, text.replaceAll(KEY_PLACEHOLDER, FIRST_KEY))
  await run(process.execPath, [file], { timeout: 600_000 })
}

test('the snippet for OpenTelemetry JS sends a span with a prompt and an answer', async () => {
  await runSnippet('otel-js', openTelemetryJs(address))
  const chat = (await readStoredSpans(service.store)).find(({ name }) => name === 'chat')
  assert.ok(chat)
  assert.equal(chat.resource.get('service.name'), 'my-app')
  assert.equal(chat.attributes.get('gen_ai.completion.0.content'), 'Oslo.')
})

test('the snippet for the Traceloop SDK sends what is traced after it', async () => {
  const traced = `
await traceloop.withWorkflow({ name: 'greeting' }, async () => {})
await traceloop.forceFlush()
`
  await runSnippet('traceloop', traceloopJs(address) + traced)
  const spans = await readStoredSpans(service.store)
  assert.ok(spans.some(({ name }) => name === 'greeting.workflow'))
})
