import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import path from 'node:path'
import { KEY_PATTERN } from '../../domain/tenant.ts'
import type { KeyFile } from '../../ports/key-file.ts'

/** `<data dir>/api-key`. */
export function createKeyFile(dataDir: string): KeyFile {
  const file = path.join(dataDir, 'api-key')
  return {
    path: file,
    read() {
      if (!existsSync(file)) return undefined
      const secret = readFileSync(file, 'utf8').trim()
      return KEY_PATTERN.test(secret) ? secret : undefined
    },
    // Written aside, flushed and renamed, so that there is never half a key; mode 0600 from the first byte.
    write(secret) {
      const draft = `${file}.new`
      const handle = openSync(draft, 'w', 0o600)
      writeSync(handle, `${secret}\n`)
      fsyncSync(handle)
      closeSync(handle)
      renameSync(draft, file)
    },
  }
}
