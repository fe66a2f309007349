import { isGivenPassword } from './secret-values.ts'

const MANIFEST_CHARS = 3_000
const OTHER_MANIFEST_CHARS = 200
const KIND = /kind:[ \t]{0,4}["']?secret["']?[ \t]{0,20}(?:\r?\n|$)/iy
// The indented lines under "data:".
const DATA = /^[ \t]{0,20}data:[ \t]{0,20}\r?\n((?:[ \t]{1,40}[^\n]{0,2000}(?:\n|$)){1,100})/m
const ENTRY = /^[ \t]+[\w.-]{1,80}:[ \t]{0,4}["']?([A-Za-z0-9+/]{10,}={0,2})["']?[ \t]*\r?$/gm

/** True when a Kubernetes manifest of a Secret carries values: they are only encoded, not encrypted. */
export function isKubernetesSecret(text: string, at: number): boolean {
  KIND.lastIndex = at
  if (!KIND.test(text)) return false
  // Where manifests follow each other that closely, they have no data.
  if (text.slice(Math.max(0, at - OTHER_MANIFEST_CHARS), at).includes('kind:')) return false
  const manifest = text.slice(Math.max(0, at - MANIFEST_CHARS), at + MANIFEST_CHARS)
  const entries = DATA.exec(manifest)?.[1] ?? ''
  return [...entries.matchAll(ENTRY)].some(([, encoded = '']) => isEncodedSecret(encoded))
}

function isEncodedSecret(encoded: string): boolean {
  const decoded = Buffer.from(encoded, 'base64').toString('latin1').trim()
  return /^[\x20-\x7e]{6,}$/.test(decoded) && isGivenPassword('', decoded) && /[^a-z]/.test(decoded)
}
