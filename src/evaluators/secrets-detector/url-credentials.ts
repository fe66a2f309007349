import { isPlaceholder } from './placeholders.ts'
import { isGivenPassword } from './secret-values.ts'
import { looksRandom } from './text-shape.ts'

// "://" was found. A user, a colon and a password up to an @ and a host; no slash, space or quote on the way.
const USER_INFO = /:\/\/([^\s/:@"'`<>?#,;|\\]{0,100}):([^\s/@"'`<>?#|\\]{1,200})@(?=[\w[.$%{-])/y
// A token in the place of the user.
const USER_ONLY = /:\/\/([A-Za-z0-9_-]{20,200})@(?=\w)/y

/** True when an address carries a password, or a random token in the place of the user. */
export function hasUrlCredentials(text: string, at: number): boolean {
  USER_INFO.lastIndex = at
  const [, user = '', password = ''] = USER_INFO.exec(text) ?? []
  if (password !== '') return isGivenPassword(decodePercent(user), decodePercent(password))
  USER_ONLY.lastIndex = at
  const alone = USER_ONLY.exec(text)?.[1]
  return alone !== undefined && !isPlaceholder(alone) && looksRandom(alone)
}

function decodePercent(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
