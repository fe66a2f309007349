import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import type { Backlog } from '../ports/storage.ts'
import { createBacklogGauges } from './backlog-metrics.ts'

const NOTHING = { pieces: 0, spans: 0 }
const BACKLOG: Backlog = {
  work: { local: { pieces: 2, spans: 30, oldestAtMs: 0 }, judged: NOTHING },
  digest: NOTHING,
  givenUpBatches: 0,
  unitsDue: 4,
}

test('a store that is still being asked is not asked again for the next page', async () => {
  const answers: ((backlog: Backlog) => void)[] = []
  const registry = new Registry()
  const gauges = createBacklogGauges(registry, () => new Promise((resolve) => answers.push(resolve)))
  const pages = [gauges.read(), gauges.read()]
  assert.equal(answers.length, 1)
  answers[0]?.(BACKLOG)
  await Promise.all(pages)
  assert.match(await registry.metrics(), /^assay_work_lag_spans\{kind="local"\} 30$/m)
  void gauges.read()
  assert.equal(answers.length, 2)
  answers[1]?.(BACKLOG)
})

test('nothing is shown about what waits when the store does not tell, and it is asked again', async () => {
  let times = 0
  const registry = new Registry()
  const gauges = createBacklogGauges(registry, async () => {
    if (++times === 2) throw new Error('the store is away')
    return BACKLOG
  })
  await gauges.read()
  assert.match(await registry.metrics(), /^assay_units_due 4$/m)
  await gauges.read()
  assert.doesNotMatch(await registry.metrics(), /^assay_/m)
  await gauges.read()
  assert.match(await registry.metrics(), /^assay_units_due 4$/m)
})
