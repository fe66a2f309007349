import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Incident } from '../../domain/incidents/incident.ts'
import { followIncident } from './follow-incident.ts'

const HOUR_MS = 3_600_000
const ONSET_MS = 1_000 * HOUR_MS
const NOW_MS = ONSET_MS + 10 * HOUR_MS
const MONITOR = { monitorId: 'm1', version: 2, ruleHash: 'rule', isSettled: true }

const INCIDENT: Incident = {
  ...{ number: 1, id: 'one', application: 'shop', state: 'open', onsetMs: ONSET_MS },
  ...{ openedAtMs: ONSET_MS, updatedAtMs: ONSET_MS },
  monitors: [
    {
      ...{ monitorId: 'm1', version: 2, ruleHash: 'rule', onsetMs: ONSET_MS, falseChance: 0 },
      ...{ before: { pass: 900, fail: 100 }, after: { pass: 10, fail: 10 }, state: 'fallen' },
    },
  ],
  changes: { values: [], deployments: [], sampledBefore: 0, sampledAfter: 0 },
}

function follow(rates: readonly number[], monitor: Partial<typeof MONITOR> = {}, nowMs = NOW_MS) {
  const current = { ...MONITOR, ...monitor }
  const hours = rates.map((rate, at) => {
    const pass = Math.round(40 * rate)
    return { startMs: ONSET_MS + at * HOUR_MS, pass, fail: 40 - pass }
  })
  const series = hours.length > 0 ? [{ application: 'shop', monitor: current, hours }] : []
  return followIncident(INCIDENT, { series, monitors: [current], nowMs })
}

test('a rate that stays low keeps the incident open with newer counts', () => {
  const update = follow([0.5, 0.5, 0.5])
  assert.equal(update?.state, 'open')
  assert.deepEqual(update?.monitors[0]?.after, { pass: 60, fail: 60 })
  assert.deepEqual(update?.events, [])
})

test('a rate that has come back ends it as recovered, from the hour on in which it did', () => {
  const update = follow([0.5, 0.5, 0.9, 0.9, 0.9])
  assert.equal(update?.state, 'recovered')
  assert.equal(update?.monitors[0]?.closedAtMs, ONSET_MS + 2 * HOUR_MS)
  assert.deepEqual(
    update?.events.map(({ kind }) => kind),
    ['left', 'recovered'],
  )
})

test('another version or rule of the monitor ends it, because nothing can be compared', () => {
  assert.equal(follow([0.5], { version: 3 })?.state, 'ended')
  assert.equal(follow([0.5], { ruleHash: 'another' })?.state, 'ended')
})

test('a rule that is still being applied to stored results changes nothing', () => {
  assert.equal(follow([0.9, 0.9], { isSettled: false, ruleHash: 'another' }), undefined)
})

test('a week without judged results ends it, and a quiet night does not', () => {
  assert.equal(follow([]), undefined)
  assert.equal(follow([], {}, ONSET_MS + 169 * HOUR_MS)?.state, 'ended')
})
