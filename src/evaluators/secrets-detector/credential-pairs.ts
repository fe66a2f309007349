import { isPlaceholder } from './placeholders.ts'
import { isGivenPassword, isNoSecret, isPasswordLike } from './secret-values.ts'
import { looksRandom, shapeOf } from './text-shape.ts'

const IDENTIFIED_BY =
  /identified(?:[ \t]{1,4}with[ \t]{1,4}\S{1,40})?[ \t]{1,4}by[ \t]{1,4}(?:password[ \t]{1,4})?["']([^"'\n]{4,128})["']/iy

/** True when an SQL statement sets a password. */
export function isIdentifiedBy(text: string, at: number): boolean {
  IDENTIFIED_BY.lastIndex = at
  const password = IDENTIFIED_BY.exec(text)?.[1]
  return password !== undefined && isChosenPassword('', password)
}

// "credentials: admin / x", "log in with admin:x", "login for the demo: admin and x".
const PAIR =
  /(?<![A-Za-z])(?:credentials?|creds|log[ ]?in|sign[ ]?in)(?![A-Za-z])["'`*]{0,3}(?:(?:[ \t]{1,3}\w{1,20}){0,6}[ \t]{0,2}[:=]|(?:[ \t]{1,3}(?:is|are|with|using|as|to|for|the)){0,3}[ \t]{0,3})[ \t]{0,3}["'`(*]{0,2}([\w.@+-]{2,60})["'`*]{0,2}[ \t]{0,3}(?:\/|:|,|\band\b|\|)[ \t]{0,3}["'`*]{0,2}([^\s"'`<>]{6,128})/iy

/** True when a name and a password are given together after a word for that. */
export function isCredentialPair(text: string, at: number): boolean {
  PAIR.lastIndex = at
  const [, user = '', given = ''] = PAIR.exec(text) ?? []
  const password = given.replace(/[.,;:)*]+$/, '')
  return (
    password !== '' &&
    !password.startsWith('//') &&
    shapeOf(password).digits > 0 &&
    isChosenPassword(user, password)
  )
}

// `Credentials("name", "x")`, `login("name", 'x')`, `getConnection(url, "name", "x")`, `auth=("name", "x")`: the last literal.
const CALL =
  /[a-z_]{0,20}[ ]?=?[ ]?\([ \t]{0,4}(?:[A-Za-z_][\w.]{0,40},[ \t]{0,4})?(?:["']([^"'\n]{1,120})["'],[ \t]{0,4}){0,2}["']([^"'\s]{4,128})["'][ \t]{0,4}[,)]/iy

/** Keywords after which a call that takes a name and a password may follow. */
export const CALL_KEYWORDS: readonly string[] = ['credential', 'auth', 'login', 'connection']

/** True when a call whose name ends or goes on there is given a name and a password; one argument alone has to look random. */
export function isCredentialCall(text: string, end: number): boolean {
  CALL.lastIndex = end
  const [, user, password = ''] = CALL.exec(text) ?? []
  if (user === undefined)
    return password.length >= 8 && !isPlaceholder(password) && !isNoSecret(password) && looksRandom(password)
  return shapeOf(password).digits > 0 && isChosenPassword(user, password)
}

function isChosenPassword(user: string, password: string): boolean {
  if (!isGivenPassword(user, password) || isNoSecret(password)) return false
  const shape = shapeOf(password)
  return shape.lower + shape.upper > 0 && isPasswordLike(password, shape, { isLiteral: false, isProse: true })
}
