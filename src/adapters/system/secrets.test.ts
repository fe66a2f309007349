import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import { PublicError } from '../../lib/public-error.ts'
import { createSecrets } from './secrets.ts'
import { SECRETS_FILE, secretsFile } from './secrets-file.ts'

const CONTEXT = 'key of one'

function inDirectory() {
  const directory = temporaryDirectory()
  const file = path.join(directory, SECRETS_FILE)
  const open = (setting?: Uint8Array) =>
    createSecrets({ file: secretsFile(directory), ...(setting ? { setting } : {}) })
  return { directory, file, open }
}

function throwsPublic(call: () => unknown, words: RegExp): void {
  assert.throws(
    call,
    (error) => error instanceof PublicError && error.kind === 'unavailable' && words.test(error.message),
  )
}

test('makes the file when a secret is first sealed, for its owner only, and keeps it', () => {
  const { directory, file, open } = inDirectory()
  const secrets = open()
  assert.deepEqual(secrets.state(), { source: 'file' })
  assert.equal(existsSync(file), false)
  const before = process.umask(0)
  const sealed = secrets.seal('sk-secret', CONTEXT)
  process.umask(before)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(directory), [SECRETS_FILE])
  assert.match(readFileSync(file, 'utf8'), /^[A-Za-z0-9+/]{43}=\n$/)
  const text = readFileSync(file, 'utf8')
  const again = open()
  assert.equal(again.open(sealed, CONTEXT), 'sk-secret')
  again.seal('sk-other', CONTEXT)
  assert.equal(readFileSync(file, 'utf8'), text)
})

test('a file that appears while another is being made stays, and its key is the one that is used', () => {
  const { directory } = inDirectory()
  const first = secretsFile(directory)
  const second = secretsFile(directory, () => void first.readOrMake())
  const used = second.readOrMake()
  assert.deepEqual(used, first.read())
  assert.deepEqual(readdirSync(directory), [SECRETS_FILE])
})

for (const mode of [0o640, 0o604, 0o660, 0o644, 0o620])
  test(`a file of the mode ${mode.toString(8)} is not used, and is used again once it is private`, () => {
    const { file, open } = inDirectory()
    const sealed = open().seal('sk-secret', CONTEXT)
    chmodSync(file, mode)
    const secrets = open()
    const words = new RegExp(`mode 0${mode.toString(8)}.*chmod 600`)
    assert.match(secrets.state().problem ?? '', words)
    throwsPublic(() => secrets.open(sealed, CONTEXT), words)
    throwsPublic(() => secrets.seal('sk-new', CONTEXT), words)
    assert.equal(statSync(file).mode & 0o777, mode)
    chmodSync(file, 0o600)
    assert.deepEqual(secrets.state(), { source: 'file' })
    assert.equal(secrets.open(sealed, CONTEXT), 'sk-secret')
  })

for (const [name, content] of [
  ['empty', ''],
  ['cut off', 'AAAA'],
  ['too long', `${randomBytes(33).toString('base64')}\n`],
  ['of other characters', `${'!'.repeat(43)}=\n`],
] as const)
  test(`a file that is ${name} is refused as damaged and left as it is`, () => {
    const { file, open } = inDirectory()
    writeFileSync(file, content, { mode: 0o600 })
    const secrets = open()
    assert.match(secrets.state().problem ?? '', /damaged.*restore it/)
    throwsPublic(() => secrets.seal('sk-new', CONTEXT), /damaged/)
    assert.equal(readFileSync(file, 'latin1'), content)
  })

test('a file that cannot be read is a problem and not a missing file', () => {
  const { file, open } = inDirectory()
  symlinkSync(file, file)
  assert.match(open().state().problem ?? '', /cannot be read \(ELOOP\)/)
})

test('a missing file says what to do', () => {
  const { file, open } = inDirectory()
  const sealed = open().seal('sk-secret', CONTEXT)
  rmSync(file)
  throwsPublic(
    () => open().open(sealed, CONTEXT),
    /secrets-key is not in the data directory: copy it there.*store the key again/,
  )
})

test('the setting wins over the file, and what the file sealed stays readable', () => {
  const { file, open } = inDirectory()
  const byFile = open().seal('sk-of-the-file', CONTEXT)
  const setting = new Uint8Array(randomBytes(32))
  const both = open(setting)
  assert.deepEqual(both.state(), { source: 'environment' })
  assert.equal(both.open(byFile, CONTEXT), 'sk-of-the-file')
  const bySetting = both.seal('sk-of-the-setting', CONTEXT)
  rmSync(file)
  const alone = open(setting)
  assert.equal(alone.open(bySetting, CONTEXT), 'sk-of-the-setting')
  throwsPublic(() => alone.open(byFile, CONTEXT), /another ASSAY_SECRETS_KEY; store it again/)
})

test('the content of the file can become the setting', () => {
  const { file, open } = inDirectory()
  const sealed = open().seal('sk-secret', CONTEXT)
  const setting = new Uint8Array(Buffer.from(readFileSync(file, 'utf8').trim(), 'base64'))
  rmSync(file)
  assert.equal(open(setting).open(sealed, CONTEXT), 'sk-secret')
})

test('a file with another key than the one that sealed says so', () => {
  const { file, open } = inDirectory()
  const sealed = open().seal('sk-secret', CONTEXT)
  writeFileSync(file, `${randomBytes(32).toString('base64')}\n`)
  throwsPublic(() => open().open(sealed, CONTEXT), /another secrets key than the one in the file/)
})

test('without a file the setting is required, and nothing is written', () => {
  const secrets = createSecrets({})
  assert.match(secrets.state().problem ?? '', /PostgreSQL needs ASSAY_SECRETS_KEY/)
  throwsPublic(() => secrets.seal('sk-new', CONTEXT), /openssl rand -base64 32/)
})
