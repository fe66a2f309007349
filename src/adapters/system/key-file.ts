import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { KEY_PATTERN } from '../../domain/tenant.ts'
import { tighten } from '../../lib/private-files.ts'
import type { KeyFile } from '../../ports/key-file.ts'

/** `<data dir>/api-key`. */
export function createKeyFile(dataDir: string): KeyFile {
  const file = path.join(dataDir, 'api-key')
  const read = () => {
    if (!existsSync(file)) return undefined
    tighten(file)
    const secret = readFileSync(file, 'utf8').trim()
    return KEY_PATTERN.test(secret) ? secret : undefined
  }
  return {
    path: file,
    read,
    keep(secret) {
      const kept = read()
      if (kept !== undefined) return kept
      mkdirSync(dataDir, { recursive: true, mode: 0o700 })
      // Written aside and flushed, so that there is never half a key; linked, so that of two only the first counts.
      const draft = `${file}.${process.pid}`
      writeFlushed(draft, `${secret}\n`)
      try {
        linkSync(draft, file)
        return secret
      } catch {
        const other = read()
        if (other === undefined) renameSync(draft, file)
        return other ?? secret
      } finally {
        rmSync(draft, { force: true })
      }
    },
  }
}

function writeFlushed(file: string, text: string): void {
  const handle = openSync(file, 'w', 0o600)
  writeSync(handle, text)
  fsyncSync(handle)
  closeSync(handle)
}
