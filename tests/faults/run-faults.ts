// npm run test:faults: makes every statement of a full run fail in every way, on the embedded store, and counts what it took
// to recover. --every 10 tries every tenth statement; --only and --statement repeat one run.

import { parseArgs } from 'node:util'
import { failStatements } from './all-statements.ts'

const { values } = parseArgs({
  options: {
    every: { type: 'string', default: '1' },
    only: { type: 'string' },
    statement: { type: 'string' },
  },
})
try {
  await failStatements(
    {
      every: Number(values.every),
      ...(values.only === undefined ? {} : { only: values.only }),
      ...(values.statement === undefined ? {} : { statement: Number(values.statement) }),
    },
    (report) => console.log(JSON.stringify(report)),
  )
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
