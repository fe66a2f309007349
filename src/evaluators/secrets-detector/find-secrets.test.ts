import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { hasSecret } from './detect-secrets.ts'
import { findSecrets } from './find-secrets.ts'

// Put together here so that scanners of this repository do not take made-up secrets for real ones.
const AWS = `AKIA${'Q3EG'}${'RIT7'}${'WZX2'}${'LMN5'}`
const PASSWORD = `${'Tr0mb'}one-42!`
const PEM = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** Secrets, between the words that have to stay. */
const CASES: readonly (readonly [name: string, before: string, secret: string, after: string])[] = [
  ['a token', 'The key ', AWS, ' was found in the log.'],
  ['a password in a sentence', 'The password for the staging box is ', PASSWORD, ' and it works.'],
  ['a password before its name', 'Please use ', PASSWORD, ' as the password here.'],
  ['an assignment', 'host = a\npassword = ', PASSWORD, '\nport = 5'],
  ['a value in JSON', '{"user": "bob", "password": "', PASSWORD, '", "port": 5}'],
  ['credentials in an address', 'See ', `postgres://bob:${PASSWORD}@db.example.com/app`, ' for the rest.'],
  ['a private key', 'Begin\n', PEM.trim(), '\nEnd'],
  [
    'a bearer token',
    'curl -H "Authorization: ',
    `Bearer ${'x9Kd8'}sJf03nDk2Lq8Zp4Vb7Tn1Rm6Yc5`,
    '" https://example.com',
  ],
]

describe('takes out', () => {
  for (const [name, before, secret, after] of CASES) {
    test(`${name} and leaves the rest`, () => {
      const text = before + secret + after
      assert.ok(hasSecret(text), 'the detector knows it')
      const left = without(text)
      assert.ok(!left.includes(secret), left)
      assert.ok(left.endsWith(after), left)
      assert.ok(left.startsWith(before.trimEnd().replace(/["']$/, '')), left)
      assert.equal(hasSecret(left), false)
    })
  }

  test('all of several secrets', () => {
    const left = without(`password=${PASSWORD}\nkey ${AWS}\n${PEM}\nThe end.`)
    for (const secret of [PASSWORD, AWS, PEM.split('\n')[1] ?? '']) assert.ok(!left.includes(secret))
    assert.match(left, /The end\.$/)
  })

  test('a key that was cut off, to the end', () => {
    const left = without(`A ${PEM.slice(0, -40)}`)
    assert.equal(left, 'A ')
  })

  test('a secret that invisible characters hide, with them', () => {
    const hidden = `The key ${AWS.slice(0, 8)}\u200b${AWS.slice(8)} was found.`
    assert.equal(without(hidden), 'The key  was found.')
  })

  test('every row of a secret of Kubernetes', () => {
    const rows = Array.from({ length: 40 }, (_, at) => `  pw${at}: ${btoa(`${PASSWORD}${at}`)}`)
    const left = without(`apiVersion: v1\nkind: Secret\ndata:\n${rows.join('\n')}\n`)
    for (const at of rows.keys()) assert.ok(!left.includes(btoa(`${PASSWORD}${at}`)))
  })

  test('nothing of an ordinary text', () => {
    assert.deepEqual(findSecrets('Keep your key in the environment, not in the code.'), [])
  })
})

function without(text: string): string {
  const places = findSecrets(text)
  return places.reduceRight((left, { start, end }) => left.slice(0, start) + left.slice(end), text)
}
