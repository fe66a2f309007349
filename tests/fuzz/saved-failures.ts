import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Finding, FuzzKindName } from './fuzz-kind.ts'

const FOLDER = path.join(import.meta.dirname, 'failures')

/** An input that once broke a promise; replay.test.ts tries each one again. */
export interface SavedFailure {
  readonly kind: FuzzKindName
  /** The promise it broke when it was found. */
  readonly problem: string
  readonly input: unknown
}

/** Saves an input that broke a promise and returns the file; the name depends on the input alone. */
export function saveFailure({ kind, problem, input }: Finding): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([kind, input]))
    .digest('hex')
  const file = path.join(FOLDER, `${hash.slice(0, 16)}.json`)
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(file, `${JSON.stringify({ kind, problem, input }, null, 2)}\n`)
  return file
}

/** Every saved input of a kind, by file name. */
export function readFailures(kind: FuzzKindName): ReadonlyMap<string, SavedFailure> {
  const files = globSync('*.json', { cwd: FOLDER }).sort()
  const saved = files.map(
    (file) => [file, JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as SavedFailure] as const,
  )
  return new Map(saved.filter(([, failure]) => failure.kind === kind))
}
