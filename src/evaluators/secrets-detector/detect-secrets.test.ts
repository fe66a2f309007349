import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hasSecret } from './detect-secrets.ts'

// Each takes up to five seconds on an idle core. What grows with the square of the text would take hours.
const DEADLINE_MS = 60_000

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

for (const [megabytes, seeds] of [
  [5, WORST],
  [1, HOSTILE],
] as const) {
  describe(`answers on ${megabytes} MB that are written to keep it busy`, () => {
    for (const seed of seeds) {
      test(JSON.stringify(seed), () => {
        const text = seed.repeat(Math.ceil((megabytes * 1_000_000) / seed.length))
        const startMs = performance.now()
        assert.equal(hasSecret(text), false)
        const tookMs = performance.now() - startMs
        assert.ok(tookMs < DEADLINE_MS, `took ${Math.round(tookMs)} ms`)
      })
    }
  })
}

test('is found behind text that is written to keep it busy', () => {
  const token = ['f3Gh7Jk2Lm', '9Pq4Rs8Tv1', 'Wx5Yz0Bc6D'].join('')
  for (const seed of [...WORST, ...HOSTILE]) {
    assert.equal(hasSecret(`${seed.repeat(500)}\n\napi_token = "${token}"\n`), true, seed)
  }
})
