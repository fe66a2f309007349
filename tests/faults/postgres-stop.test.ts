import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  audit,
  EVALUATORS,
  monitorEverything,
  newSpan,
  type SentSpan,
  sendRequest,
  untilScored,
} from '../crash/crash-clients.ts'
import { FIRST_KEY } from '../support/call.ts'
import { openRows } from '../support/postgres-rows.ts'
import { emptyDatabase } from '../support/postgres-store.ts'
import { spawnTestService } from '../support/process-in-test.ts'
import { eventually } from '../support/spans.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const REQUESTS = 40
const SPANS_PER_REQUEST = 20
/** How often a process is stopped until it holds work at that moment. */
const STOPS_MAX = 100

test('a process that stands still for longer than its leases loses its work to another and scores nothing twice', async () => {
  const url = await emptyDatabase()
  const rows = openRows(url)
  const start = () =>
    spawnTestService({
      ...{ ASSAY_DATABASE_URL: url, ASSAY_API_KEY: FIRST_KEY, ASSAY_SETUP_REST_MS: '0' },
      ASSAY_DATA_DIR: temporaryDirectory(),
    })
  const stopped = await start()
  const other = await start()
  const acknowledged = new Map<string, SentSpan>()
  const send = (to: string) =>
    sendRequest(to, Array.from({ length: SPANS_PER_REQUEST }, newSpan), acknowledged)
  await monitorEverything(other.url, other.url, EVALUATORS, acknowledged)

  const held = () =>
    rows.all<{ lease: number }>('SELECT lease FROM work WHERE state = 1 AND lease IS NOT NULL ORDER BY lease')
  /** Leases that stay as they are while the other process goes on belong to the stopped one. */
  const heldForGood = async () => {
    const before = await held()
    if (before.length === 0) return []
    await sleep(500)
    const after = new Set((await held()).map(({ lease }) => lease))
    return before.filter(({ lease }) => after.has(lease))
  }
  let leases: readonly { lease: number }[] = []
  for (let stops = 0; leases.length === 0; stops++) {
    assert.ok(stops < STOPS_MAX, 'the process never held work when it was stopped')
    const sending = Array.from({ length: REQUESTS }, () => send(other.url))
    await eventually(async () => (await held()).length > 0, 'work is claimed')
    stopped.child.kill('SIGSTOP')
    await Promise.all(sending)
    leases = await heldForGood()
    if (leases.length === 0) stopped.child.kill('SIGCONT')
  }
  // As if the process had stood still until every lease ran out.
  await rows.run('UPDATE work SET lease_until_ms = 0 WHERE lease IS NOT NULL')
  await rows.run('UPDATE digest_progress SET held_until_ms = 0')
  await untilScored(other.url)
  stopped.child.kill('SIGCONT')
  await send(stopped.url)
  const { lost, doubled, wrong, miscounted } = await audit(other.url, EVALUATORS, acknowledged)
  assert.deepEqual({ lost, doubled, wrong, miscounted }, { lost: 0, doubled: 0, wrong: 0, miscounted: 0 })
})
