import { contextOf } from './context.ts'
import { cryptoConfidence } from './crypto-addresses.ts'
import type { Report } from './finding.ts'
import { ibanEnd } from './iban.ts'
import { isVin, LETTERED_IDS } from './lettered-ids.ts'
import { TOKEN, type Tokens } from './tokens.ts'
import { FLAG } from './word-flags.ts'

const CODE_CHARS_MAX = 90
const CODE_TOKENS_MAX = 12
const NINO_SPACED = /[A-Za-z]{2} \d{2} \d{2} \d{2} [A-Da-d](?![A-Za-z0-9])/y
const PASSPORT = /^[A-Z0-9]{6,9}$/
const LICENCE = /^[A-Z0-9]{6,18}$/
/** Words and models of things have fewer digits than anything that numbers people. */
const DIGITS_MIN = 3

/** Finds what is made of letters and digits: IBAN, crypto addresses, national numbers with letters, passports, licences. */
export function findCodes(tokens: Tokens, token: number, report: Report): void {
  const start = tokens.start[token] as number
  const end = tokens.end[token] as number
  const { text } = tokens
  if (tokens.isJoined(token) && !isOpening(text.charCodeAt(start - 1))) return
  const iban = ibanEnd(text, start)
  if (iban > 0) {
    report('iban', 0.98, start, iban)
    return
  }
  if (end - start > CODE_CHARS_MAX) return
  const crypto = cryptoConfidence(text.slice(start, end))
  if (crypto > 0) {
    report('crypto', crypto, start, end)
    return
  }
  const last = lastJoined(tokens, token)
  const word = text.slice(start, tokens.end[last]).toUpperCase()
  reportIds(tokens, token, last, word, report)
}

/** National Insurance numbers are printed in pairs; the first pair is a word of two letters. */
export function findSpacedCode(tokens: Tokens, token: number, report: Report): void {
  const start = tokens.start[token] as number
  const iban = ibanEnd(tokens.text, start)
  if (iban > 0) {
    report('iban', 0.98, start, iban)
    return
  }
  NINO_SPACED.lastIndex = start
  const [written] = NINO_SPACED.exec(tokens.text) ?? []
  if (written === undefined) return
  const word = written.replaceAll(' ', '').toUpperCase()
  for (const id of LETTERED_IDS) {
    if (id.isValid(word)) report('nationalId', 0.93, start, start + written.length)
  }
}

function reportIds(tokens: Tokens, token: number, last: number, joined: string, report: Report): void {
  const word = joined.replace(/[-. ]/g, '')
  if (word.length < 6 || word.length > 18 || word.replace(/\D/g, '').length < DIGITS_MIN) return
  const start = tokens.start[token] as number
  const end = tokens.end[last] as number
  const context = contextOf(tokens, token, last)
  for (const { isValid, alone, named } of LETTERED_IDS) {
    if (isValid(word))
      report('nationalId', context & (FLAG.nationalId | FLAG.social) ? named : alone, start, end)
  }
  if (isVin(word)) report('vehicle', context & FLAG.vehicle ? 0.97 : 0.85, start, end)
  else if (context & FLAG.vehicle && /^[A-HJ-NPR-Z0-9]{11}\d{6}$/.test(word))
    report('vehicle', 0.85, start, end)
  if (context & FLAG.passport && PASSPORT.test(word)) report('passport', 0.9, start, end)
  if (context & FLAG.licence && LICENCE.test(word)) report('licence', 0.88, start, end)
}

/** The last token of a code whose parts are joined by hyphens or dots. */
function lastJoined(tokens: Tokens, first: number): number {
  let last = first
  while (last + 2 < tokens.count && last - first < CODE_TOKENS_MAX) {
    const sign = tokens.signAt(last + 1)
    if ((sign !== 45 && sign !== 46) || !tokens.isJoined(last + 1) || !tokens.isJoined(last + 2)) break
    const kind = tokens.kind[last + 2]
    if (kind !== TOKEN.number && kind !== TOKEN.mixed && kind !== TOKEN.word) break
    last += 2
  }
  return last
}

/** Brackets, quotes, `:`, `=`, `#` and the like, after which a code may begin. Not `/`, `-`, `.`, `_`, `@`. */
function isOpening(unit: number): boolean {
  return unit < 128 && '"\'([{<:=#>,;|*`~'.includes(String.fromCharCode(unit))
}
