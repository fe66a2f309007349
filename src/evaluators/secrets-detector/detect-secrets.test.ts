import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertGrowth } from '../../../tests/support/processor-time.ts'
import { hasSecret } from './detect-secrets.ts'

// Texts that make rules look as often and as far as they can.
const WORST: readonly string[] = [
  'pw=',
  'password “',
  'password is ',
  'PuTTY-User-Key-File-2: a\nEncryption: none\n',
  'sk-',
]
const HOSTILE: readonly string[] = [
  ...[
    'key=',
    'password password ',
    'is the password for the ',
    'user password ',
    'passwordtokenkey',
    'key.',
    'token = [1,',
  ],
  ...[
    'password: String = "',
    'password="\\"',
    'login with the ',
    'mysql -',
    'eyJ',
    '.eyJhbGciOiJIUzI1Ni',
    '://a:b',
  ],
  ...[
    'LS0tLS1CRUdJTi/',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\nAAAA',
    '"d":"',
    'kind: secret\n',
  ],
  ...['seed phrase is ', 'AKIA', ':AA', '\\n', '%3D', 'é', '密码='],
]

describe('answers in time in proportion to 256 KB that is written to keep it busy', () => {
  for (const seed of [...WORST, ...HOSTILE]) {
    test(JSON.stringify(seed), async () => {
      const read = (length: number) => {
        const text = seed.repeat(Math.ceil(length / seed.length))
        return () => assert.equal(hasSecret(text), false)
      }
      await assertGrowth(read(4_000), read(256_000), { factor: 64 })
    })
  }
})

test('is found behind text that is written to keep it busy', () => {
  const token = ['f3Gh7Jk2Lm', '9Pq4Rs8Tv1', 'Wx5Yz0Bc6D'].join('')
  for (const seed of [...WORST, ...HOSTILE]) {
    assert.equal(hasSecret(`${seed.repeat(500)}\n\napi_token = "${token}"\n`), true, seed)
  }
})
