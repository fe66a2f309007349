import { isPlaceholder } from './placeholders.ts'
import { isGivenPassword } from './secret-values.ts'
import { looksRandom } from './text-shape.ts'

const BEARER = /bearer[ \t]{1,4}([A-Za-z0-9._~+/-]{16,2000}={0,2})/iy
const BASIC = /basic[ \t]{1,4}([A-Za-z0-9+/_-]{8,400}={0,2})/iy
const USER_AND_PASSWORD = /^([\x20-\x7e]{1,100}?):([\x20-\x7e]{4,200})$/

/** True for `Authorization: Bearer <random>`; what has a format of its own is found by that. */
export function isBearerToken(text: string, at: number): boolean {
  BEARER.lastIndex = at
  const token = BEARER.exec(text)?.[1]
  return token !== undefined && !isPlaceholder(token) && looksRandom(token)
}

/** True for `Authorization: Basic <base64>` that holds a user and a password. */
export function isBasicCredential(text: string, at: number): boolean {
  BASIC.lastIndex = at
  const encoded = BASIC.exec(text)?.[1]
  if (encoded === undefined) return false
  const decoded = Buffer.from(encoded, 'base64').toString('latin1')
  const [, user = '', password = ''] = USER_AND_PASSWORD.exec(decoded) ?? []
  return password !== '' && isGivenPassword(user, password)
}
