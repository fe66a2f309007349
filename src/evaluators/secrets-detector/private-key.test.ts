import assert from 'node:assert/strict'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { hasSecret } from './detect-secrets.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pkcs8 = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const pkcs1 = rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
const sec1 = ec.privateKey.export({ type: 'sec1', format: 'pem' }).toString()
const ed25519 = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const encrypted = { format: 'pem', cipher: 'aes-256-cbc', passphrase: 'p' } as const
const publicKey = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()

/** The form of OpenSSH: a magic word, the name of the cipher, then the rest. */
function openssh(cipher: string): string {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(cipher.length)
  const body = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    length,
    Buffer.from(cipher),
    Buffer.from(pkcs8).subarray(40, 300),
  ])
  const lines = body.toString('base64').match(/.{1,70}/g) ?? []
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines.join('\n')}\n-----END OPENSSH PRIVATE KEY-----`
}

/** The form of PuTTY: what is public, then what is private. */
function putty(encryption: string): string {
  const lines =
    Buffer.from(pkcs8)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  const head = `PuTTY-User-Key-File-3: ssh-rsa\nEncryption: ${encryption}\nComment: a\n`
  return `${head}Public-Lines: 2\n${lines.slice(0, 2).join('\n')}\nPrivate-Lines: 3\n${lines.slice(2, 5).join('\n')}\n`
}

describe('finds a private key', () => {
  for (const [name, text] of [
    ['in PKCS#8', pkcs8],
    ['of RSA', pkcs1],
    ['of an elliptic curve', sec1],
    ['of Ed25519, in one short line', ed25519],
    ['of OpenSSH', openssh('none')],
    ['in JSON, with escaped line breaks', JSON.stringify({ private_key: pkcs8 })],
    ['in JSON in JSON', JSON.stringify(JSON.stringify({ private_key: pkcs8 }))],
    ['in a log, with a time before each line', pkcs8.replace(/^/gm, '2026-01-02 10:00:00 app | ')],
    ['in a program, line by line', pkcs8.replace(/^(.*)$/gm, '  + "$1\\n"')],
    ['with Windows line ends', pkcs8.replaceAll('\n', '\r\n')],
    ['that was cut off', pkcs8.slice(0, 600)],
    ['of PuTTY', putty('none')],
    ['in base64', Buffer.from(pkcs8).toString('base64')],
    ['as a JSON Web Key', JSON.stringify(rsa.privateKey.export({ format: 'jwk' }))],
    [
      'as a JSON Web Key of a curve, in JSON',
      JSON.stringify(JSON.stringify(ec.privateKey.export({ format: 'jwk' }))),
    ],
  ] as const) {
    test(name, () => assert.equal(hasSecret(`Here it is:\n${text}\nKeep it safe.`), true))
  }
})

describe('leaves alone', () => {
  for (const [name, text] of [
    ['a public key', publicKey],
    ['a public JSON Web Key', JSON.stringify(rsa.publicKey.export({ format: 'jwk' }))],
    ['an encrypted key in PKCS#8', rsa.privateKey.export({ type: 'pkcs8', ...encrypted }).toString()],
    ['an encrypted key of RSA', rsa.privateKey.export({ type: 'pkcs1', ...encrypted }).toString()],
    ['an encrypted key of OpenSSH', openssh('aes256-ctr')],
    ['an encrypted key of PuTTY', putty('aes256-cbc')],
    ['a certificate', pkcs8.replaceAll('PRIVATE KEY', 'CERTIFICATE')],
    ['a public key in base64', Buffer.from(publicKey).toString('base64')],
    ['the first line alone', '-----BEGIN RSA PRIVATE KEY-----'],
    [
      'a block with a few letters',
      '-----BEGIN PRIVATE KEY-----\nMIIBVgIBADANBgkqhkiG9w\n-----END PRIVATE KEY-----',
    ],
    ['an empty block', '-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----'],
    ['a block with dots in it', `${pkcs8.slice(0, 300)}...\n${pkcs8.slice(1200)}`],
    [
      'a block with a sentence in it',
      '-----BEGIN PRIVATE KEY-----\nput the key of your server in this place\n-----END PRIVATE KEY-----',
    ],
    ['a mention', 'A file that starts with BEGIN PRIVATE KEY must not be committed.'],
  ] as const) {
    test(name, () => assert.equal(hasSecret(text), false))
  }
})

test('the keys of these tests are keys', () => {
  assert.equal(createPrivateKey(pkcs8).asymmetricKeyType, 'rsa')
})
