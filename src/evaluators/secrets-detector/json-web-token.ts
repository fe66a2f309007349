import { isTokenStart } from './match-token.ts'
import { decodeJsonObject } from './token-checks.ts'

const TOKEN =
  /(eyJ[A-Za-z0-9_-]{8,4000})\.(eyJ[A-Za-z0-9_-]{4,20000}|[A-Za-z0-9_-]{40,4000})(?:\.[A-Za-z0-9_-]{0,4000}){0,3}/y

/**
 * True when a JSON Web Token begins there: its header is an object that names an algorithm, and its payload is an object
 * too unless it is encrypted. Three base64 texts with dots between them are not enough.
 */
export function isJsonWebToken(text: string, at: number): boolean {
  // In the middle of a run it is part of something longer, and looking at each of many would take too long.
  if (at > 0 && (/[_-]/.test(text[at - 1] ?? '') || !isTokenStart(text, at))) return false
  TOKEN.lastIndex = at
  const match = TOKEN.exec(text)
  if (!match) return false
  const header = decodeJsonObject(match[1] ?? '')
  if (typeof header?.['alg'] !== 'string') return false
  return typeof header['enc'] === 'string' || decodeJsonObject(match[2] ?? '') !== undefined
}
