import path from 'node:path'
import type { FirstKey } from '../control/first-key.ts'

/** What a person sees when the service is up: the address, where the key is, and a command that works as printed. */
export function renderBanner(address: string, firstKey: FirstKey): string {
  const lines = [
    '',
    `Assay is running at ${address}`,
    ...keyLines(firstKey),
    `Reference: ${address}/docs`,
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
