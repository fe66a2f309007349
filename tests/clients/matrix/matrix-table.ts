import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Row } from './check-client.ts'
import type { Client } from './client.ts'
import type { Recording } from './recording.ts'

const DOCS = path.resolve(import.meta.dirname, '../../../docs/integrations.md')
const BEGIN = '<!-- clients: written by npm run test:clients -- --docs -->'
const END = '<!-- end of clients -->'

/** A client, and what came of it. */
export interface Line {
  readonly client: Client
  readonly packages: Recording['packages']
  readonly row: Row
}

/** The matrix as a table of Markdown. */
export function matrixTable(lines: readonly Line[]): string {
  const header =
    '| client | packages | spans sent | stored | read | right inputs | scores | right answers | |\n|---|---|---|---|---|---|---|---|---|'
  return [header, ...lines.map(tableLine)].join('\n')
}

function tableLine({ client, packages, row }: Line): string {
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`)
  const verdict = row.faults.length > 0 ? 'fails' : (client.noScores ?? 'works')
  const cells = [
    ...[client.name, versions.join(', '), row.spansSent, row.spansStored, row.spansMapped],
    ...[
      `${row.inputsRight} of ${row.scoresExpected}`,
      `${row.scoresFound} of ${row.scoresExpected}`,
      row.callsMade > 0 ? `${row.callsRight} of ${row.callsMade}` : '',
      verdict,
    ],
  ]
  return `| ${cells.join(' | ')} |`
}

/** Puts the table into the documentation, in the place of the one that is there. */
export function writeMatrix(lines: readonly Line[]): void {
  const [before = '', rest = ''] = readFileSync(DOCS, 'utf8').split(BEGIN)
  const [, after = ''] = rest.split(END)
  writeFileSync(DOCS, `${before}${BEGIN}\n\n${matrixTable(lines)}\n\n${END}${after}`)
}
