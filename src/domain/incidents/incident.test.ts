import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Incident, incidentToJoin, incidentToReopen, unusualTimes } from './incident.ts'

const HOUR_MS = 3_600_000
const ONSET_MS = 1_000 * HOUR_MS

function incident(given: Partial<Incident> = {}): Incident {
  return {
    ...{ number: 1, id: 'one', application: 'shop', state: 'open', onsetMs: ONSET_MS },
    ...{ openedAtMs: ONSET_MS, updatedAtMs: ONSET_MS },
    monitors: [
      {
        ...{ monitorId: 'm1', version: 2, ruleHash: 'r', onsetMs: ONSET_MS, falseChance: 0 },
        ...{ before: { pass: 90, fail: 10 }, after: { pass: 10, fail: 10 }, state: 'fallen' },
      },
    ],
    changes: { values: [], deployments: [], sampledBefore: 0, sampledAfter: 0 },
    ...given,
  }
}

test('a fall of the same application at about the same time joins the open incident', () => {
  const open = [incident()]
  assert.equal(incidentToJoin(open, 'shop', ONSET_MS + 2 * HOUR_MS)?.id, 'one')
  assert.equal(incidentToJoin(open, 'shop', ONSET_MS + 2 * HOUR_MS + 1), undefined)
  assert.equal(incidentToJoin(open, 'bot', ONSET_MS), undefined)
  assert.equal(incidentToJoin([incident({ state: 'dismissed' })], 'shop', ONSET_MS), undefined)
})

test('a fall of the same monitor within a day of its recovery opens the incident again', () => {
  const closedAtMs = ONSET_MS + 5 * HOUR_MS
  const recovered = [incident({ state: 'recovered', closedAtMs })]
  const fall = { application: 'shop', monitorId: 'm1', onsetMs: closedAtMs + 24 * HOUR_MS }
  assert.equal(incidentToReopen(recovered, fall)?.id, 'one')
  assert.equal(incidentToReopen(recovered, { ...fall, onsetMs: fall.onsetMs + 1 }), undefined)
  assert.equal(incidentToReopen(recovered, { ...fall, monitorId: 'm2' }), undefined)
})

test('the time of a recovered incident is unusual, and all time before a dismissed one', () => {
  const series = { application: 'shop', monitorId: 'm1', version: 2 }
  const closedAtMs = ONSET_MS + HOUR_MS
  assert.deepEqual(unusualTimes([incident({ state: 'recovered', closedAtMs })], series), [
    { fromMs: ONSET_MS, toMs: closedAtMs },
  ])
  assert.deepEqual(unusualTimes([incident({ state: 'dismissed', closedAtMs })], series), [
    { fromMs: 0, toMs: ONSET_MS },
  ])
  assert.deepEqual(
    unusualTimes([incident({ state: 'dismissed', closedAtMs })], { ...series, version: 3 }),
    [],
  )
  assert.deepEqual(unusualTimes([incident()], series), [])
})
