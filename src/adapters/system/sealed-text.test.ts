import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createSealer } from './sealed-text.ts'

const key = randomBytes(32)
const sealer = createSealer(key)

test('opens what was sealed, also by another process with the same key', () => {
  for (const text of ['sk-123', '', 'Zoë 👋'.repeat(100)]) {
    const sealed = sealer.seal(text, 'org/openai')
    assert.equal(createSealer(Buffer.from(key)).open(sealed, 'org/openai'), text)
    assert.ok(text === '' || !Buffer.from(sealed, 'base64').includes(text))
  }
})

test('is different every time', () => {
  assert.notEqual(sealer.seal('a', 'c'), sealer.seal('a', 'c'))
})

test('does not open in another context or with another key', () => {
  const sealed = sealer.seal('secret', 'one/openai')
  assert.throws(() => sealer.open(sealed, 'two/openai'))
  assert.throws(() => createSealer(randomBytes(32)).open(sealed, 'one/openai'))
})

test('does not open what was changed anywhere or cut', () => {
  const bytes = Buffer.from(sealer.seal('secret', 'c'), 'base64')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] as number) ^ 1
    assert.throws(() => sealer.open(changed.toString('base64'), 'c'), `byte ${at}`)
    assert.throws(() => sealer.open(bytes.subarray(0, at).toString('base64'), 'c'), `cut at ${at}`)
  }
})

test('refuses a key of another length', () => {
  assert.throws(() => createSealer(randomBytes(16)), /32 bytes/)
})
