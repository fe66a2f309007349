// Runs real clients against the service and prints what became of their spans. Arguments are ids of clients; without any, all
// of them run. `--record` keeps what they send as the recordings that the tests replay, `--docs` writes the table into the
// documentation. Ends with 1 when a client does not work.

import { endWithParent } from '../../support/guarded-process.ts'
import { CLIENTS } from './clients.ts'
import { type Line, matrixTable, writeMatrix } from './matrix-table.ts'
import { playClient } from './play-client.ts'
import { writeRecording } from './recording.ts'

const args = process.argv.slice(2)
const ids = args.filter((arg) => !arg.startsWith('--'))
const unknown = args.filter((arg) => arg.startsWith('--') && !['--record', '--docs'].includes(arg))
const unknownIds = ids.filter((id) => !CLIENTS.some((client) => client.id === id))
if (unknown.length > 0 || unknownIds.length > 0) {
  console.error(
    `Unknown: ${[...unknown, ...unknownIds].join(' ')}. Clients: ${CLIENTS.map(({ id }) => id).join(' ')}`,
  )
  process.exit(2)
}
if (args.includes('--docs') && ids.length > 0) {
  console.error('--docs writes the whole table, so all clients have to run.')
  process.exit(2)
}

endWithParent()
const lines: Line[] = []
const silent: string[] = []
for (const client of CLIENTS.filter(({ id }) => ids.length === 0 || ids.includes(id))) {
  process.stderr.write(`${client.name} ... `)
  const played = await playClient(client).catch((error: unknown) => {
    process.stderr.write(`does not run\n${error instanceof Error ? error.message : error}\n`)
  })
  if (!played) {
    silent.push(client.name)
    continue
  }
  const { row, recording } = played
  lines.push({ client, packages: recording.packages, row })
  process.stderr.write(row.faults.length === 0 ? 'works\n' : `fails\n  ${row.faults.join('\n  ')}\n`)
  if (args.includes('--record')) writeRecording(client.id, recording)
}
console.log(matrixTable(lines))
if (silent.length > 0) console.log(`These did not run: ${silent.join(', ')}`)
else if (args.includes('--docs')) writeMatrix(lines)
process.exit(silent.length === 0 && lines.every(({ row }) => row.faults.length === 0) ? 0 : 1)
