// Must come first: see there.
import '../simulation/virtual-platform.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failStatements, type KindReport } from './all-statements.ts'
import { FAULT_KINDS } from './statement-faults.ts'

/** The short form tries every so many statements; npm run test:faults tries all. */
const EVERY = 75

test('whatever fails at whichever statement, nothing is lost, hidden or scored twice, and the service recovers by itself', async () => {
  const reports: KindReport[] = []
  await failStatements({ every: EVERY }, (report) => reports.push(report))
  assert.deepEqual(
    reports.map(({ fault }) => fault),
    FAULT_KINDS.map(({ name }) => name),
  )
  for (const { fault, runs } of reports) assert.ok(runs > 20, `${fault} was tried only ${runs} times`)
})
