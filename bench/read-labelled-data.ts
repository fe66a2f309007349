import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'

/** One labelled call: what is sent, which fields of the answer are known, and what the source says beside that. */
export interface LabelledRow {
  readonly id: string
  readonly input: unknown
  readonly config?: unknown
  readonly expected: Readonly<Record<string, unknown>>
  readonly meta: Readonly<Record<string, unknown>>
}

/** A file of labelled calls for one evaluator, named `<slug>.<source>.jsonl`. */
export interface LabelledFile {
  readonly name: string
  readonly slug: string
  readonly rows: readonly LabelledRow[]
}

const DATA_DIR = path.resolve(import.meta.dirname, '../../shared/data')

/** The labelled data beside the checkout; undefined when it is not there. It is not part of the project. */
export function readLabelledData(): LabelledFile[] | undefined {
  if (!existsSync(DATA_DIR)) return undefined
  return globSync('*.{jsonl,jsonl.gz}', { cwd: DATA_DIR })
    .sort()
    .map((name) => ({ name, slug: name.split('.')[0] ?? '', rows: readRows(path.join(DATA_DIR, name)) }))
}

function readRows(file: string): LabelledRow[] {
  const bytes = readFileSync(file)
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}
