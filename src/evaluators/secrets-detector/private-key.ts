import { isTokenStart } from './match-token.ts'
import { wordShare } from './word-share.ts'

// "-----BEGIN" was found; what follows says what it is. Between the words may stand the name of an algorithm.
const HEADER = /-{4,5}[ ]?BEGIN (?:[A-Z0-9-]{1,20} ){0,5}?PRIVATE KEY(?: BLOCK)?[ ]?-{4,5}/y
/** The longest block that is looked at; a 16384-bit RSA key has 12,800 characters. */
const BODY_CHARS_MAX = 24_000
const BODY_CHARS_MIN = 40

const OPENSSH_MAGIC = 'openssh-key-v1\0'

/** True when an unencrypted private key in PEM form begins there: a header alone, or one with words under it, is none. */
export function isPrivateKey(text: string, at: number): boolean {
  HEADER.lastIndex = at
  const header = HEADER.exec(text)?.[0]
  if (header === undefined || header.includes('ENCRYPTED')) return false
  const start = at + header.length
  // The block ends at the next dashes, also where they begin another block: every character is looked at once.
  const block = text.slice(start, start + BODY_CHARS_MAX)
  const dashes = block.indexOf('-----')
  return isKeyBody(dashes === -1 ? block : block.slice(0, dashes))
}

function isKeyBody(block: string): boolean {
  if (/ENCRYPTED|\.\.\.|…|\*\*\*|x{8}/i.test(block)) return false
  const body = base64Lines(block).join('')
  if (body.length < BODY_CHARS_MIN || wordShare(body) > 0.6) return false
  return new Set(body).size > 8 && !isEncryptedOpenssh(body)
}

/** In a key of OpenSSH the name of its cipher follows the magic word: "none" when it is not encrypted. */
function isEncryptedOpenssh(body: string): boolean {
  const start = Buffer.from(body.slice(0, 64), 'base64').toString('latin1')
  return start.startsWith(OPENSSH_MAGIC) && !start.startsWith('\0\0\0\u0004none', OPENSSH_MAGIC.length)
}

/** The base64 parts of a block, whatever a log, a program or an escape has put before and after each line. */
function base64Lines(block: string): string[] {
  const lines = block.split(/\\{1,4}[nr]|[\r\n]+/)
  return lines.flatMap((line) => {
    const parts = line.match(/[A-Za-z0-9+/]{16,}={0,2}/g) ?? []
    const rest = line.match(/(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{2,15}={1,2}/g) ?? []
    // Words between the parts: somebody wrote a sentence where the key was.
    return /[a-z]{2,} [a-z]{2,} [a-z]{2,}/.test(line) ? [] : [...parts, ...rest]
  })
}

// A whole PEM text in base64, as in Kubernetes secrets and environment variables.
const ENCODED = /LS0tLS1CRUdJTi[A-Za-z0-9+/]{60,4000}/y

/** True when a base64 text holds a private key in PEM form. */
export function isEncodedPrivateKey(text: string, at: number): boolean {
  if (/[+/]/.test(text[at - 1] ?? '') || !isTokenStart(text, at)) return false
  ENCODED.lastIndex = at
  const encoded = ENCODED.exec(text)?.[0]
  return encoded !== undefined && isPrivateKey(Buffer.from(encoded, 'base64').toString('latin1'), 0)
}

// `PuTTY-User-Key-File-3: ssh-ed25519`, then `Encryption: none`, then the private lines.
const PUTTY =
  /PuTTY-User-Key-File-\d:[^\n]{1,60}\r?\nEncryption: none\r?\n[\s\S]{1,4000}?Private-Lines: \d+\r?\n[A-Za-z0-9+/]{20}/y

/** True when an unencrypted PuTTY key begins there. */
export function isPuttyKey(text: string, at: number): boolean {
  PUTTY.lastIndex = at
  return PUTTY.test(text)
}

// The private part of a JSON Web Key: "d" was found; the type of the key stands in the same object.
const JWK_PRIVATE = /"d\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}"[A-Za-z0-9_-]{40,800}/y
const JWK_CHARS_MAX = 4_000

/** True when a "d" is the private part of a JSON Web Key. */
export function isPrivateJwk(text: string, at: number): boolean {
  JWK_PRIVATE.lastIndex = at
  const match = JWK_PRIVATE.exec(text)
  return (
    match !== null &&
    /kty\\{0,3}"\s{0,4}:/.test(
      text.slice(Math.max(0, at - JWK_CHARS_MAX), at + match[0].length + JWK_CHARS_MAX),
    )
  )
}
