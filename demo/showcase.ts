// npm run showcase [-- --keep]: a service with a week of realistic data, to try the dashboard and to take pictures of it.

import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startShowcase } from './showcase-service.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'data-dir': { type: 'string' },
    'dashboard-dir': { type: 'string' },
    traces: { type: 'string', default: '3000' },
    keep: { type: 'boolean', default: false },
  },
})
const given = values['data-dir']
const dataDir = given ?? mkdtempSync(path.join(os.tmpdir(), 'assay-showcase-'))
const showcase = await startShowcase({
  port: Number(values.port),
  dataDir,
  traces: Number(values.traces),
  ...(values['dashboard-dir'] === undefined ? {} : { dashboardDir: values['dashboard-dir'] }),
  say: (line) => console.log(line),
})
try {
  console.log(`\n  address  ${showcase.url}\n  key      ${showcase.key}\n`)
  if (values.keep) await untilInterrupted()
} finally {
  await showcase.close()
  if (given === undefined) rmSync(dataDir, { recursive: true, force: true })
}

function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}
