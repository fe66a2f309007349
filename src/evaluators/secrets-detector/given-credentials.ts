import { isPlaceholder } from './placeholders.ts'
import { isGivenPassword, isNoSecret, isPasswordLike } from './secret-values.ts'
import { looksRandom, shapeOf } from './text-shape.ts'

const BEARER = /bearer[ \t]{1,4}([A-Za-z0-9._~+/-]{16,2000}={0,2})/iy
const BASIC = /basic[ \t]{1,4}([A-Za-z0-9+/_-]{8,400}={0,2})/iy

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
  const [, user = '', password = ''] = /^([\x20-\x7e]{1,100}?):([\x20-\x7e]{4,200})$/.exec(decoded) ?? []
  return password !== '' && isGivenPassword(user, password)
}

// `curl -u name:password`, `--user "name:password"`, `--user name:'password'`; either may be empty.
const USER_FLAG =
  /(?<![\w-])(?:-u|--user|--proxy-user)(?:[ \t=]{1,4}|(?=["']))(["']?)([^\s"':]{0,80})["']?:["']?([^\s"'`]{0,128})/y

/** True when a flag of a command gives a name and a password. */
export function isUserFlag(text: string, at: number): boolean {
  USER_FLAG.lastIndex = at
  const [, , user = '', password = ''] = USER_FLAG.exec(text) ?? []
  if (password === '') return user !== '' && isGivenPassword('', user) && looksRandom(user)
  return (
    !/^(?:\/\/|:)/.test(password) &&
    isGivenPassword(user, password) &&
    /[A-Za-z]/.test(password) &&
    hasTwoKinds(password)
  )
}

// `sshpass -p 'x'`, `mysql -u root -px`, `docker login -u a -p b`, `redis-cli -a x`.
const PASSWORD_FLAG =
  /(?:sshpass|mysql(?:dump|admin)?|mariadb|docker[ \t]{1,4}login|podman[ \t]{1,4}login|az[ \t]{1,4}login|redis-cli|plink|pscp|mongo(?:sh|dump)?|rabbitmqctl)\b[^\n|;&]{0,120}?[ \t](?:-p|-pw|-a)[ \t]{0,4}["']?([^\s"'`-][^\s"'`]{3,128})/y

/** True when a command that takes a password by a short flag is given one. */
export function isPasswordFlag(text: string, at: number): boolean {
  PASSWORD_FLAG.lastIndex = at
  const password = PASSWORD_FLAG.exec(text)?.[1]
  return (
    password !== undefined && !isPlaceholder(password) && /[A-Za-z]/.test(password) && hasTwoKinds(password)
  )
}

// PowerShell: flags may stand before and after the text.
const SECURE_STRING =
  /ConvertTo-SecureString(?:[ \t]{1,4}-[A-Za-z]{1,20}){0,3}[ \t]{1,4}\\{0,3}["']?([^\s"'\\-][^\s"'\\]{4,128})/iy

/** True when a script turns a literal into a secure string. */
export function isSecureString(text: string, at: number): boolean {
  SECURE_STRING.lastIndex = at
  const password = SECURE_STRING.exec(text)?.[1]
  return password !== undefined && isGivenPassword('', password) && hasTwoKinds(password)
}

// `net user name password /add`.
const NET_USER = /net[ ]{1,4}user[ ]{1,4}[^\s/]{1,40}[ ]{1,4}([^\s/"']{6,64})/iy

/** True when a Windows account is given a password. */
export function isNetUser(text: string, at: number): boolean {
  NET_USER.lastIndex = at
  const password = NET_USER.exec(text)?.[1]
  return (
    password !== undefined &&
    !isPlaceholder(password) &&
    /[A-Za-z]/.test(password) &&
    /[^A-Za-z]/.test(password)
  )
}

// `echo x | sudo -S`, `echo name:x | chpasswd`: what was printed before is read as a password.
const PIPED =
  /\becho[ \t]{1,4}(?:-[en]{1,2}[ \t]{1,4})?["']?(?:[\w.-]{1,40}:)?([^\s"'|]{5,64})["']?[ \t]{0,4}\|[ \t]{0,4}$/

/** True when a command gets a password through a pipe. */
export function isPipedPassword(text: string, at: number): boolean {
  const password = PIPED.exec(text.slice(Math.max(0, at - 140), at))?.[1]
  return password !== undefined && isGivenPassword('', password) && hasTwoKinds(password)
}

const IDENTIFIED_BY =
  /identified(?:[ \t]{1,4}with[ \t]{1,4}\S{1,40})?[ \t]{1,4}by[ \t]{1,4}(?:password[ \t]{1,4})?["']([^"'\n]{4,128})["']/iy

/** True when an SQL statement sets a password. */
export function isIdentifiedBy(text: string, at: number): boolean {
  IDENTIFIED_BY.lastIndex = at
  const password = IDENTIFIED_BY.exec(text)?.[1]
  return password !== undefined && isGivenPassword('', password) && hasTwoKinds(password)
}

// "credentials: admin / x", "log in with admin:x", "login is admin and x"; also `Credentials("admin", "x")`.
const PAIR =
  /(?<![A-Za-z])(?:credentials?|creds|log[ ]?in|sign[ ]?in|basicauth|(?<=\.)getconnection|auth[ ]?=(?=[ ]?\()|httpbasicauth|basic_auth)(?![A-Za-z])["'`*]{0,3}(?:(?:[ \t]{1,3}\w{1,20}){0,6}[ \t]{0,2}[:=]|(?:[ \t]{1,3}(?:is|are|with|using|as|to|for|the)){0,3}[ \t]{0,3}[:=(]{0,2})[ \t]{0,3}(?:["'][^"'\s]{1,120}["'],[ \t]{0,3})?["'`(*]{0,2}([\w.@+-]{2,60})["'`*]{0,2}[ \t]{0,3}(?:\/|:|,|\band\b|\|)[ \t]{0,3}["'`*]{0,2}([^\s"'`<>]{6,128})/iy

/** True when a name and a password are given together after a word for that. */
export function isCredentialPair(text: string, at: number): boolean {
  PAIR.lastIndex = at
  const [, user = '', given = ''] = PAIR.exec(text) ?? []
  const password = given.replace(/[.,;:)*]+$/, '')
  if (
    password === '' ||
    !isGivenPassword(user, password) ||
    isNoSecret(password) ||
    password.startsWith('//')
  )
    return false
  const shape = shapeOf(password)
  return (
    shape.digits > 0 &&
    shape.lower + shape.upper > 0 &&
    isPasswordLike(password, shape, { isLiteral: false, isProse: true })
  )
}

function hasTwoKinds(value: string): boolean {
  const { lower, upper, digits, symbols } = shapeOf(value)
  return Number(lower > 0) + Number(upper > 0) + Number(digits > 0) + Number(symbols > 0) >= 2
}
