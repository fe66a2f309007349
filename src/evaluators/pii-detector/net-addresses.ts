import { flagsBefore } from './context.ts'
import type { Report } from './finding.ts'
import { TOKEN, type Tokens } from './tokens.ts'
import { FLAG } from './word-flags.ts'

const LOCAL_MAX = 64
const DOMAIN_MAX = 253
const LOCAL_UNIT = /[\p{L}\p{N}._%+'-]/u
const DOMAIN = /(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}])/uy
/** Ends of file names, which also follow an `@` (`logo@2x.png`). */
const FILE_ENDS = /\.(?:png|jpe?g|gif|svg|webp|js|mjs|ts|css|json|md|py|html?|txt|zip|gz)$/i
/** Mailboxes of nobody in particular; an address is one all the same, only less surely a person's. */
const ROLE =
  /^(?:no-?reply|support|info|sales|contact|help|admin|office|postmaster|webmaster|billing|service|hello|team)$/i

/** Finds an email address around an `@`. */
export function findEmail(tokens: Tokens, token: number, report: Report): void {
  const { text } = tokens
  const at = tokens.start[token] as number
  let start = at
  while (start > 0 && at - start < LOCAL_MAX && LOCAL_UNIT.test(text[start - 1] as string)) start--
  while (start < at && /[.'%+-]/.test(text[start] as string)) start++
  if (start === at || text[at - 1] === '.') return
  DOMAIN.lastIndex = 0
  const [domain] = DOMAIN.exec(text.slice(at + 1, at + 1 + DOMAIN_MAX)) ?? []
  if (domain === undefined || FILE_ENDS.test(domain)) return
  const local = text.slice(start, at)
  // `git@github.com:owner/name` names a machine, `https://user@host/` a login.
  const isRemote = local === 'git' || text.slice(Math.max(0, start - 3), start) === '://'
  report('email', isRemote ? 0.3 : ROLE.test(local) ? 0.85 : 0.99, start, at + 1 + domain.length)
}

const OCTETS = /(?:\d{1,3}\.){3}\d{1,3}(?![\d.]*\d|[A-Za-z_-])/y

/** Finds an IPv4 address at a number token. Four numbers with dots are also versions and sections. */
export function findIpv4(tokens: Tokens, token: number, report: Report): void {
  const { text } = tokens
  const start = tokens.start[token] as number
  if (text[start + 1] !== '.' && text[start + 2] !== '.' && text[start + 3] !== '.') return
  const before = text[start - 1] ?? ' '
  if (/[\p{L}\p{N}._-]/u.test(before)) return
  OCTETS.lastIndex = start
  const [address] = OCTETS.exec(text) ?? []
  if (address === undefined) return
  const octets = address.split('.')
  if (!octets.every((octet) => Number(octet) <= 255 && (octet === '0' || octet[0] !== '0'))) return
  report(
    'ip',
    ipv4Confidence(octets.map(Number), flagsBefore(tokens, token, 6)),
    start,
    start + address.length,
  )
}

/** Addresses that belong to no machine of anybody (this host, all hosts, masks) are not personal. */
function ipv4Confidence(octets: readonly number[], context: number): number {
  const [first = 0] = octets
  if (first === 0 || first === 127 || first >= 224 || octets.every((octet) => octet === octets[0])) return 0.2
  if (context & FLAG.version && !(context & FLAG.ip)) return 0.15
  if (context & FLAG.ip) return 0.95
  // Versions have small numbers; addresses rarely have four of them.
  const large = octets.filter((octet) => octet > 31).length
  return large >= 2 ? 0.9 : large === 1 ? 0.75 : 0.4
}

const HEXTETS = /[0-9A-Fa-f:]{2,39}(?:%[0-9A-Za-z]{1,16})?/y

/** Finds an IPv6 address around its first colon. */
export function findIpv6(tokens: Tokens, colon: number, report: Report): void {
  const { text } = tokens
  const at = tokens.start[colon] as number
  let start = at
  while (start > 0 && at - start < 4 && /[0-9A-Fa-f]/.test(text[start - 1] as string)) start--
  if (/[\p{L}\p{N}:._]/u.test(text[start - 1] ?? ' ')) return
  HEXTETS.lastIndex = start
  const [address = ''] = HEXTETS.exec(text) ?? []
  if (/[\p{L}\p{N}]/u.test(text[start + address.length] ?? ' ')) return
  if (isIpv6(address)) report('ip', 0.95, start, start + address.length)
}

/** Eight groups, or fewer with one gap. The loopback and the empty address belong to no person. */
export function isIpv6(written: string): boolean {
  const address = written.replace(/%.*$/, '').replace(/(?<=[^:]):$/, '')
  const halves = address.split('::')
  if (halves.length > 2 || !/[0-9A-Fa-f]/.test(address) || address === '::1') return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  if (!groups.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))) return false
  // Times such as 12:30:45 have no gap; `a::b` alone is a scope operator of a programming language.
  return halves.length === 2
    ? groups.length >= 3 && groups.length <= 7 && /\d/.test(address)
    : groups.length === 8
}

/** True where an IPv6 address may begin or go on: a colon next to another or after up to four hexadecimal digits. */
export function mayBeIpv6(tokens: Tokens, colon: number): boolean {
  if (!tokens.isJoined(colon + 1) || colon + 1 >= tokens.count) return false
  const kind = tokens.kind[colon + 1]
  return (
    kind === TOKEN.number || kind === TOKEN.mixed || tokens.signAt(colon + 1) === 58 || kind === TOKEN.word
  )
}
