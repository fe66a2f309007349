import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasSecret } from './detect-secrets.ts'

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = part({ alg: 'HS256', typ: 'JWT' })
const payload = part({ sub: 'u-81', iat: 1_700_000_000 })
const signature = Buffer.from('not a signature, only as long as one').toString('base64url')

test('finds a JSON Web Token with and without its signature', () => {
  assert.equal(hasSecret(`session: ${header}.${payload}.${signature}`), true)
  assert.equal(hasSecret(`curl -b jwt=${header}.${payload}`), true)
  assert.equal(hasSecret(JSON.stringify({ a: `x\n${header}.${payload}.${signature}` })), true)
})

test('finds an encrypted one, whose second part is no JSON', () => {
  const encrypted = part({ alg: 'RSA-OAEP', enc: 'A256GCM' })
  assert.equal(hasSecret(`${encrypted}.${signature}.${signature}.${signature}.${signature}`), true)
})

test('three texts with dots between them are none unless their header says so', () => {
  for (const text of [
    header,
    `${header.slice(0, -1)}.${payload}.${signature}`,
    `${part({ typ: 'JWT' })}.${payload}.${signature}`,
    `${part({ alg: 5 })}.${payload}.${signature}`,
    `${header}.${signature}.${signature}`,
    'eyJabc.eyJdef.eyJghi',
    `k${header}.${payload}.${signature}`,
  ]) {
    assert.equal(hasSecret(text), false, text)
  }
})
