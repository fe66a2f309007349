import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after } from 'node:test'

/** An empty directory that is removed when the test, or the test file, ends. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'assay-test-'))
  after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
