import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { startThread } from '../../lib/threads/start-thread.ts'
import { IngestLanes } from './ingest-lanes.ts'

const lanes = new IngestLanes({
  startThread,
  logger: recordingLogger([]),
  readCatalogue: () => Promise.reject(new Error('no setups are read here')),
  limits: { projectsMax: 1, setupsMax: 1, heapMbMax: 64, callMsMax: 60_000 },
})
after(() => lanes.close())

test('small requests of a project whose small requests take a moment stay out of the lane of large ones', () => {
  for (let at = 0; at < 20; at++) lanes.learn('small', 40, 15)
  assert.equal(lanes.laneFor('small', 40), lanes.quick)
  assert.equal(lanes.laneFor('small', 4_000), lanes.quick)
  assert.equal(lanes.laneFor('small', 1_000_000), lanes.bulk)
})

test('small requests that take long go to the lane of large ones, and come back once they are quick again', () => {
  for (let at = 0; at < 20; at++) lanes.learn('slow', 4_000, 300)
  assert.equal(lanes.laneFor('slow', 4_000), lanes.bulk)
  for (let at = 0; at < 20; at++) lanes.learn('slow', 4_000, 0.5)
  assert.equal(lanes.laneFor('slow', 4_000), lanes.quick)
})

test('a large request is quick where bytes take little, and slow where they take long', () => {
  assert.equal(lanes.laneFor('unknown', 1_000_000), lanes.quick)
  assert.equal(lanes.laneFor('unknown', 14_000_000), lanes.bulk)
  lanes.learn('matching', 1_000_000, 900)
  assert.equal(lanes.laneFor('matching', 100_000), lanes.bulk)
  assert.equal(lanes.laneFor('unknown', 100_000), lanes.quick)
})
