import { cleanText } from './clean-text.ts'
import { findCodes, findSpacedCode } from './code-findings.ts'
import type { Finding, Report } from './finding.ts'
import { findIntroduction } from './introductions.ts'
import { loadLexicon } from './lexicon.ts'
import { findEmail, findIpv4, findIpv6, mayBeIpv6 } from './net-addresses.ts'
import { findNumbers } from './number-findings.ts'
import { findName, loadPersonModel, type PersonModel } from './person-model.ts'
import { findAddress, findPostcode } from './street-addresses.ts'
import { SHAPE, TOKEN, Tokens } from './tokens.ts'

const AT = 64
const COLON = 58
const HYPHEN = 45
const DOT = 46
const SLASH = 47
const BACKSLASH = 92

/** A finding below this gives way to a surer one in the same place. */
const UNSURE = 0.5

/** Findings kept of one text; a text with more is no less full of personal data. */
const FINDINGS_MAX = 10_000

interface Reader {
  readonly tokens: Tokens
  readonly model: PersonModel
}

/** Read on the first call, so that a service that never looks for personal data never pays for it. */
let reader: Reader | undefined

/**
 * Finds personal data with the probability that it is some. The text is read once, window by window; each recogniser looks
 * a bounded distance around the token that calls it, so that the time grows with the text and nothing else.
 */
export function findPii(written: string): Finding[] {
  reader ??= { tokens: new Tokens(loadLexicon()), model: loadPersonModel() }
  const { text, offsets } = cleanText(written)
  const findings: Finding[] = []
  const report: Report = (kind, confidence, start, end) => {
    if (findings.length >= FINDINGS_MAX) return
    // The end is where the last character ended, which may have been longer than what it became.
    const last = offsets ? Math.max(offsets[end] ?? written.length, (offsets[start] as number) + 1) : end
    findings.push({ kind, confidence, start: offsets?.[start] ?? start, end: last })
  }
  for (let from = 0; from >= 0; ) {
    from = reader.tokens.read(text, from)
    findInWindow(reader, report)
  }
  return withoutOverlaps(findings)
}

/** Of findings that share a place the longer one is kept: a name in an email address is part of that address. */
function withoutOverlaps(findings: Finding[]): Finding[] {
  findings.sort((a, b) => a.start - b.start || b.end - a.end || b.confidence - a.confidence)
  const kept: Finding[] = []
  for (const finding of findings) {
    const last = kept.at(-1)
    if (last === undefined || finding.start >= last.end) kept.push(finding)
    else if (last.confidence < UNSURE && finding.confidence > last.confidence) kept[kept.length - 1] = finding
    else if (finding.kind !== last.kind && finding.end > last.end) kept.push(finding)
  }
  return kept
}

function findInWindow({ tokens, model }: Reader, report: Report): void {
  let numbersReadTo = -1
  let namesReadTo = -1
  for (let token = 0; token < tokens.count; token++) {
    const kind = tokens.kind[token]
    if (kind === TOKEN.word) {
      if (token > namesReadTo && !isPartOfAddress(tokens, token))
        namesReadTo = findName(model, tokens, token, report)
      const length = (tokens.end[token] as number) - (tokens.start[token] as number)
      if (tokens.shape[token] === SHAPE.caseless) findIntroduction(tokens, token, report)
      else if (length <= 2 || length >= 25) findLetters(tokens, token, length, report)
    } else if (kind === TOKEN.number) {
      findIpv4(tokens, token, report)
      findAddress(tokens, token, report)
      if (token > numbersReadTo) numbersReadTo = findNumbers(tokens, token, report)
      findCodes(tokens, token, report)
    } else if (kind === TOKEN.mixed) {
      findCodes(tokens, token, report)
      findPostcode(tokens, token, report)
      findAddress(tokens, token, report)
    } else if (kind === TOKEN.sign) {
      const sign = tokens.signAt(token)
      if (sign === AT) findEmail(tokens, token, report)
      else if (sign === COLON && mayBeIpv6(tokens, token)) findIpv6(tokens, token, report)
    }
  }
}

/** Words that hang together with others by signs and not by spaces are parts of links, paths and accounts. */
function isPartOfAddress(tokens: Tokens, token: number): boolean {
  const isLed = tokens.isJoined(token)
  const before = isLed ? tokens.signAt(token - 1) : 0
  if (before === AT || before === SLASH || before === BACKSLASH) return true
  if (before === DOT && tokens.isJoined(token - 1)) return tokens.kind[token - 2] === TOKEN.word
  if (!tokens.isJoined(token + 1) || !tokens.isJoined(token + 2)) return false
  const after = tokens.signAt(token + 1)
  return after === AT || (after === DOT && tokens.kind[token + 2] === TOKEN.word)
}

/** Words without digits that may be the beginning of a code: a country, or an address that happens to have none. */
function findLetters(tokens: Tokens, token: number, length: number, report: Report): void {
  if (length >= 25 || (length === 1 && tokens.signAt(token + 1) === HYPHEN)) findCodes(tokens, token, report)
  else if (tokens.kind[token + 1] === TOKEN.number && token + 1 < tokens.count)
    findSpacedCode(tokens, token, report)
}
