import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startService } from '../support/service.ts'
import { checkClient, prepareFor } from './matrix/check-client.ts'
import { CLIENTS } from './matrix/clients.ts'
import { countSpans, readRecording } from './matrix/recording.ts'

/** Ends a wait that is in vain, nothing else. */
const MS_MAX = 120_000

describe('the spans that were recorded of', () => {
  for (const client of CLIENTS) {
    test(`${client.name} are stored, read and scored to the letter`, async () => {
      const { requests, recordedAt } = readRecording(client.id)
      // The service lives at the time of the recording: retention would drop old spans.
      const offsetMs = Date.parse(recordedAt) - Date.now()
      const service = await startService({}, { clock: { nowMs: () => Date.now() + offsetMs } })
      await prepareFor(client, service)
      for (const { path, contentType, body } of requests) {
        const answer = await service.call('POST', path, { body, headers: { 'content-type': contentType } })
        assert.equal(answer.status, 200, answer.text)
      }
      const { faults } = await checkClient(client, service, countSpans(requests), MS_MAX)
      assert.deepEqual(faults, [])
      await service.close()
    })
  }
})
