import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeSpans, testId } from '../../../tests/otlp/encode-traces.ts'
import { listUnits } from '../../domain/unit-set.ts'
import { scanTraces } from '../../lib/otlp/scan-traces.ts'
import type { CatalogueSetup } from '../../ports/span-storage.ts'
import { ProjectCatalogue } from './project-catalogue.ts'

const { spans } = scanTraces(
  encodeSpans(
    ...Array.from({ length: 20 }, (_, at) => ({
      traceId: testId(16, 1),
      spanId: testId(8, at),
      attributes: { model: at % 2 === 0 ? 'even' : 'odd' },
    })),
  ),
)

function setup(setupId: string, setupVersion: number, model: string, envProjectId = 'prd'): CatalogueSetup {
  const rule = { key: 'model', source: 'span_attributes', operator: 'equals', valueType: 'string' } as const
  return { setupId, setupVersion, envProjectId, selector: [{ ...rule, value: model }] }
}

function matchesOf(catalogue: ProjectCatalogue, envProjectId = 'prd') {
  return Object.fromEntries(
    catalogue.match(envProjectId, spans).map(({ setupVersion, units }) => [setupVersion, listUnits(units)]),
  )
}

const even = spans.map((_, at) => at).filter((at) => at % 2 === 0)
const odd = spans.map((_, at) => at).filter((at) => at % 2 === 1)

test('names the spans that each setup version matches; one that matches none is not named', () => {
  const current = [setup('a', 1, 'even'), setup('b', 2, 'odd'), setup('c', 3, 'none'), setup('d', 4, 'even')]
  const catalogue = new ProjectCatalogue({ revision: 7, current, endedSetupIds: [] })
  assert.deepEqual(matchesOf(catalogue), { 1: even, 2: odd, 4: even })
  assert.equal(catalogue.revision, 7)
  assert.equal(catalogue.setupCount, 4)
})

test('matches the spans of an environment with the setups of that environment only', () => {
  const current = [setup('a', 1, 'even', 'prd'), setup('b', 2, 'even', 'stg')]
  const catalogue = new ProjectCatalogue({ revision: 1, current, endedSetupIds: [] })
  assert.deepEqual(matchesOf(catalogue, 'prd'), { 1: even })
  assert.deepEqual(matchesOf(catalogue, 'stg'), { 2: even })
  assert.deepEqual(matchesOf(catalogue, 'dev'), {})
})

test('follows changes: a new version takes the place of the old one, an ended setup is gone', () => {
  const catalogue = new ProjectCatalogue({
    revision: 1,
    current: [setup('a', 1, 'even'), setup('b', 2, 'odd')],
    endedSetupIds: [],
  })
  const change = { revision: 2, current: [setup('a', 3, 'odd')], endedSetupIds: ['a', 'b', 'never-seen'] }
  catalogue.follow(change)
  assert.deepEqual(matchesOf(catalogue), { 3: odd })
  // A change may come twice: what was read may have been newer than the revision it is named after.
  catalogue.follow(change)
  assert.deepEqual(matchesOf(catalogue), { 3: odd })
  assert.equal(catalogue.revision, 2)
  assert.equal(catalogue.setupCount, 1)
})
