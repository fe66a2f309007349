import path from 'node:path'
import type { FirstKey } from '../control/first-key.ts'
import { EMBEDDED_JUDGE } from '../domain/judgement.ts'
import type { Started } from '../main.ts'

/**
 * The banner of a running service: the address, where the key is, who judges, and a command that works as printed.
 * The key itself is shown on a terminal only: anything else is a log, which others read and which is kept.
 */
export function renderBanner(
  { address, firstKey: key, judge, role }: Started,
  isTerminal: boolean | undefined,
): string {
  // A part of a service is started by machines, for which the key and a command to try are elsewhere.
  if (role !== 'all') return `\nAssay is running at ${address} as ${role}\n`
  const firstKey: FirstKey = key.kind === 'made' && !isTerminal ? { kind: 'in_file', file: key.file } : key
  const lines = [
    '',
    `Assay is running at ${address}`,
    ...keyLines(firstKey),
    `Judge:   ${judgeWords(judge)}`,
    `Docs:    ${address}/docs`,
    '',
    'Try it:',
    `  ${curlLine(address, firstKey)}`,
    '',
  ]
  return `${lines.join('\n')}\n`
}

function keyLines(firstKey: FirstKey): string[] {
  switch (firstKey.kind) {
    case 'made':
      return [`API key: ${firstKey.secret}`, `         (shown this once; kept in ${shown(firstKey.file)})`]
    case 'in_file':
      return [`API key: in ${shown(firstKey.file)}`]
    case 'given':
      return ['API key: the one in ASSAY_API_KEY']
    case 'unknown':
      return ['API key: one that you have; make another with: assay keys create']
  }
}

/** A key in the environment is enough to have judges asked, and that costs money: it is said here. */
function judgeWords(judge: string | undefined): string {
  if (judge === undefined) return 'none; set ASSAY_JUDGE_MODEL to have one'
  return judge === EMBEDDED_JUDGE ? 'embedded; set ASSAY_JUDGE_MODEL for a better one' : judge
}

function curlLine(address: string, firstKey: FirstKey): string {
  return `curl -H "Authorization: Bearer ${bearer(firstKey)}" ${address}/v2/auto-monitor-setups`
}

function bearer(firstKey: FirstKey): string {
  switch (firstKey.kind) {
    case 'made':
      return firstKey.secret
    case 'in_file':
      return `$(cat ${quoted(shown(firstKey.file))})`
    case 'given':
      return '$ASSAY_API_KEY'
    case 'unknown':
      return '$YOUR_API_KEY'
  }
}

// Relative where that is shorter and stays below the working directory: it is where the person is.
function shown(file: string): string {
  const relative = path.relative(process.cwd(), file)
  return relative.startsWith('..') ? file : relative
}

function quoted(file: string): string {
  return /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", `'\\''`)}'`
}
