import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { boundedName } from './bounded-name.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('leaves a name of up to 512 bytes as it is', () => {
  for (const name of ['', 'shop', 'x'.repeat(512), 'ü'.repeat(256), '😀'.repeat(128), '語'.repeat(170)]) {
    assert.equal(boundedName(name), name)
  }
})

test('shortens a longer one to its beginning and a hash of all of it', () => {
  const name = 'abc'.repeat(200)
  assert.equal(boundedName(name), `${name.slice(0, 447)}#${sha256(name)}`)
  assert.equal(boundedName(boundedName(name)), boundedName(name))
})

test('keeps two long names apart that begin alike', () => {
  const beginning = 'x'.repeat(2_000)
  assert.notEqual(boundedName(`${beginning}1`), boundedName(`${beginning}2`))
})

test('cuts no character in two', () => {
  for (const character of ['ü', '語', '😀']) {
    for (const offset of ['', 'x', 'xx', 'xxx']) {
      const name = offset + character.repeat(600)
      const short = boundedName(name)
      assert.ok(Buffer.byteLength(short) <= 512)
      assert.ok(Buffer.byteLength(short) > 508)
      assert.ok(name.startsWith(short.slice(0, -65)), JSON.stringify(short))
      assert.ok(short.endsWith(`#${sha256(name)}`))
    }
  }
})
