import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import * as z from 'zod'

const labelledRow = z.object({
  id: z.string(),
  input: z.record(z.string(), z.unknown()),
  config: z.record(z.string(), z.unknown()).optional(),
  expected: z.record(z.string(), z.unknown()).default({}),
  meta: z.record(z.string(), z.unknown()).default({}),
})

/** One labelled call: what is sent, which fields of the answer are known, and what the source says beside that. */
export interface LabelledRow {
  readonly id: string
  readonly input: unknown
  readonly config?: unknown
  readonly expected: Readonly<Record<string, unknown>>
  readonly meta: Readonly<Record<string, unknown>>
}

/** A file of labelled calls for one evaluator, named `<slug>.<source>.jsonl`, with `.gz` behind it when it is compressed. */
export interface LabelledFile {
  readonly name: string
  readonly slug: string
  readonly rows: readonly LabelledRow[]
}

/** Reads the labelled files of a directory, in the order of their names, those of some evaluators only where told so. */
export function readLabelledFiles(
  directory: string,
  isWanted: (slug: string) => boolean = () => true,
): LabelledFile[] {
  return globSync('*.{jsonl,jsonl.gz}', { cwd: directory })
    .sort()
    .map((name) => ({ name, slug: name.split('.')[0] ?? '' }))
    .filter(({ slug }) => isWanted(slug))
    .map(({ name, slug }) => ({ name, slug, rows: readRows(path.join(directory, name)) }))
}

/** The first rows of a file, at most so many; rows that belong to a pair are taken together or not at all. */
export function firstRows(rows: readonly LabelledRow[], rowsMax: number): LabelledRow[] {
  const groups = Map.groupBy(rows, (row) => row.meta['pair'] ?? row)
  const taken: LabelledRow[] = []
  for (const group of groups.values()) {
    if (taken.length + group.length > rowsMax) break
    taken.push(...group)
  }
  return taken
}

function readRows(file: string): LabelledRow[] {
  const bytes = readFileSync(file)
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  return text
    .split('\n')
    .flatMap((line, at) =>
      line.trim() === '' ? [] : [readRow(line, `${path.basename(file)}, line ${at + 1}`)],
    )
}

function readRow(line: string, place: string): LabelledRow {
  const row = labelledRow.safeParse(parse(line, place))
  if (!row.success) {
    const [issue] = row.error.issues
    throw new Error(`${place}: ${issue?.path.join('.') || 'the row'}: ${issue?.message}`)
  }
  return row.data
}

function parse(line: string, place: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    throw new Error(`${place} is not JSON: ${(error as Error).message}`)
  }
}
