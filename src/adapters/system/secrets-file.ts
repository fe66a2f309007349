import { randomBytes } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'

/** The name of the file in the data directory. */
export const SECRETS_FILE = 'secrets-key'
const KEY_BYTES = 32
const KEY_TEXT = /^[A-Za-z0-9+/]{43}=\n?$/
/** The bits of a mode that let anyone but the owner do something. */
const OTHERS = 0o077

/** The content of the file: a key, the reason why it must not be used, or nothing where there is no file. */
export type SecretsFileContent = { readonly key: Uint8Array } | { readonly problem: string } | undefined

/** The secrets key of a data directory. */
export interface SecretsFile {
  read(): SecretsFileContent
  /** The key of the file; where there is none, a new one is made first. It is whole and on disk before it is told. */
  readOrMake(): NonNullable<SecretsFileContent>
}

/**
 * Opens `<data dir>/secrets-key`, which holds 32 random bytes in base64, the form of `ASSAY_SECRETS_KEY`. Like a private key of
 * SSH it is not used while anyone but its owner may read it: whoever could have read it has the provider keys of every backup.
 * Tests pass `beforeLink` to come in between.
 */
export function secretsFile(dataDir: string, beforeLink: () => void = () => undefined): SecretsFile {
  const file = path.join(dataDir, SECRETS_FILE)
  const read = () => readKey(file)
  return {
    read,
    readOrMake() {
      const known = read()
      if (known) return known
      makeKey(file, beforeLink)
      return read() ?? { problem: `the file ${SECRETS_FILE} disappeared while it was made; try again` }
    },
  }
}

function readKey(file: string): SecretsFileContent {
  let handle: number
  try {
    handle = openSync(file, 'r')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    return { problem: `the file ${SECRETS_FILE} in the data directory cannot be read (${code})` }
  }
  try {
    // Of the open file, so that it cannot be another one than the one that is read.
    const { mode } = fstatSync(handle)
    if ((mode & OTHERS) !== 0) return { problem: tooOpen(mode) }
    const text = readFileSync(handle, 'latin1')
    if (KEY_TEXT.test(text)) return { key: new Uint8Array(Buffer.from(text.trim(), 'base64')) }
    return {
      problem:
        `the file ${SECRETS_FILE} in the data directory is damaged: it does not hold base64 of ${KEY_BYTES} bytes; ` +
        'restore it from where you keep it, or delete it and store the provider keys again',
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { problem: `the file ${SECRETS_FILE} in the data directory cannot be read (${code})` }
  } finally {
    closeSync(handle)
  }
}

function tooOpen(mode: number): string {
  const shown = (mode & 0o777).toString(8).padStart(4, '0')
  return (
    `the file ${SECRETS_FILE} in the data directory has the mode ${shown}, so that other users may read it; ` +
    `it is not used until chmod 600 was run on it`
  )
}

/** Written aside and flushed, so that there is never half a key; linked, so that of two makers only the first counts. */
function makeKey(file: string, beforeLink: () => void): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const handle = openSync(draft, 'wx', 0o600)
  try {
    writeSync(handle, `${randomBytes(KEY_BYTES).toString('base64')}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  try {
    beforeLink()
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  flushDirectory(path.dirname(file))
}

/** Without it a power cut could take the name of the file and leave rows that only its key opens. */
function flushDirectory(directory: string): void {
  const handle = openSync(directory, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
