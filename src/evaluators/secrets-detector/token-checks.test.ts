import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { decodeJsonObject, hasBase62Checksum, hasBech32Checksum } from './token-checks.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function withChecksum(payload: string): string {
  let rest = crc32(payload)
  let digits = ''
  for (let at = 0; at < 6; at++) {
    digits = BASE62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return payload + digits
}

test('knows the checksum of tokens of GitHub and npm, also when it begins with zeros', () => {
  // The only token that GitHub has published with a right checksum; it was never valid.
  assert.equal(hasBase62Checksum(['zQWBuTSOoRi4A9spHcVY', '5ncnsDkxkJ0mLq17'].join('')), true)
  for (let at = 0; at < 200; at++)
    assert.equal(hasBase62Checksum(withChecksum(`${at}`.padEnd(30, 'k'))), true)
  assert.equal(hasBase62Checksum('abcdefghijklmnopqrstuvwxyz0123456789'), false)
})

test('knows the checksum of Bech32, in either case', () => {
  // From the list of valid strings in BIP 173.
  for (const text of ['A12UEL5L', 'abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw', '?1ezyfcl']) {
    assert.equal(hasBech32Checksum(text), true, text)
  }
  assert.equal(hasBech32Checksum('A12UEL5M'), false)
  assert.equal(hasBech32Checksum('split1checkupstagehandshakeupstreamerranterredcaperred2y9e2w'), false)
})

test('reads JSON objects out of base64 and nothing else', () => {
  const encode = (text: string | Buffer) => Buffer.from(text).toString('base64url')
  assert.deepEqual(decodeJsonObject(encode('{"alg":"HS256"}')), { alg: 'HS256' })
  for (const text of [
    '[1]',
    'null',
    '"a"',
    '{"a":',
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  ]) {
    assert.equal(decodeJsonObject(encode(text)), undefined, String(text))
  }
})
