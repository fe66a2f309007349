import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import http2 from 'node:http2'
import path from 'node:path'
import { describe, test } from 'node:test'
import { framed, grpcCall } from '../support/grpc-call.ts'
import { startService, type TestService } from '../support/service.ts'
import { checkClient, prepareFor } from './matrix/check-client.ts'
import { CLIENTS } from './matrix/clients.ts'
import { type AnsweredCall, countSpans, type RecordedRequest, readRecording } from './matrix/recording.ts'

/** Ends a wait that is in vain, nothing else. */
const MS_MAX = 120_000

async function send(service: TestService, { path, contentType, body }: RecordedRequest): Promise<void> {
  if (contentType !== 'application/grpc') {
    const answer = await service.call('POST', path, { body, headers: { 'content-type': contentType } })
    assert.equal(answer.status, 200, answer.text)
    return
  }
  const session = http2.connect(`http://${service.grpcAddress}`)
  const { status, errorMessage } = await grpcCall(session, path, { parts: [framed(body)] })
  session.destroy()
  assert.equal(status, 0, String(errorMessage))
}

/** Makes recorded calls again, each with the ids that the calls before it were given now. */
async function callAgain(service: TestService, calls: readonly AnsweredCall[]): Promise<AnsweredCall[]> {
  const made: AnsweredCall[] = []
  const ids = new Map<string, string>()
  for (const { method, path: recorded, body, answer: before } of calls) {
    const at = recorded.split('/').map((part) => ids.get(part) ?? part)
    const { status, json } = await service.call(method, at.join('/'), body === null ? {} : { body })
    const [then, now] = [before, json].map((one) => (one as Record<string, unknown>)['execution_id'])
    if (typeof then === 'string' && typeof now === 'string') ids.set(then, now)
    made.push({ method, path: at.join('/'), body, status, answer: json })
  }
  return made
}

test('every client is in the table of the documentation, with the versions of its recording', () => {
  const docs = readFileSync(path.resolve(import.meta.dirname, '../../docs/integrations.md'), 'utf8')
  for (const client of CLIENTS) {
    const { packages } = readRecording(client.id)
    const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`)
    assert.ok(docs.includes(`| ${client.name} | ${versions.join(', ')} |`), client.name)
  }
})

describe('the spans that were recorded of', () => {
  for (const client of CLIENTS) {
    test(`${client.name} are stored, read and scored to the letter`, async () => {
      const { requests, calls, recordedAt } = readRecording(client.id)
      // The service lives at the time of the recording: retention would drop old spans.
      const offsetMs = Date.parse(recordedAt) - Date.now()
      const clock = { nowMs: () => Date.now() + offsetMs }
      // However slow the machine is, log events come within the wait.
      const service = await startService({ ASSAY_CONTENT_WAIT_MS: '600000' }, { clock, withGrpc: true })
      await prepareFor(client, service)
      for (const request of requests) await send(service, request)
      const answered = await callAgain(service, calls)
      const sent = { spans: countSpans(requests), calls: answered }
      const { faults } = await checkClient(client, service, sent, MS_MAX)
      assert.deepEqual(faults, [])
      await service.close()
    })
  }
})
