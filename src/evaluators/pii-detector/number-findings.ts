import { contextOf } from './context.ts'
import type { Report } from './finding.ts'
import { isItin, isSsn, NATIONAL_IDS } from './national-ids.ts'
import { type NumberRun, visitRuns } from './number-runs.ts'
import { isCardNumber } from './payment-cards.ts'
import { phoneConfidence } from './phone-numbers.ts'
import { TOKEN, type Tokens } from './tokens.ts'
import { FLAG } from './word-flags.ts'

const idsByDigits = Map.groupBy(NATIONAL_IDS, ({ digits }) => digits)

/**
 * Finds numbers that stand for a person: cards, social security and other national numbers, phones, driving licences and
 * passports made of digits. Returns the last token that was read.
 */
export function findNumbers(tokens: Tokens, token: number, report: Report): number {
  if (isInsideNumber(tokens, token)) return token
  return visitRuns(tokens, token, (run) => {
    if (run.digits.length < 5) return false
    const context = contextOf(tokens, run.firstToken, run.lastToken)
    return (
      reportCard(run, context, report) ||
      reportSsn(run, context, report) ||
      reportNationalId(run, context, report) ||
      reportNamedNumber(run, context, report) ||
      reportPhone(tokens, run, context, report)
    )
  })
}

/** Decimal places, parts of a date or a time, amounts of money and parts of identifiers are no start of a number. */
function isInsideNumber(tokens: Tokens, token: number): boolean {
  if (!tokens.isJoined(token)) return false
  const before = tokens.kind[token - 1]
  if (before === TOKEN.number || before === TOKEN.mixed || before === TOKEN.word) return true
  const sign = tokens.signAt(token - 1)
  const follows = tokens.isJoined(token - 1) && tokens.kind[token - 2] === TOKEN.number
  if (follows && (sign === 46 || sign === 44 || sign === 58 || sign === 45 || sign === 47)) return true
  return sign === 36 || sign === 8364 || sign === 163 || sign === 95
}

function reportCard(run: NumberRun, context: number, report: Report): boolean {
  const { digits, pattern } = run
  if (digits.length < 12 || !isCardNumber(digits)) return false
  if (!/^(?:\d+|4([ -])4\1\d(?:\1\d)*|4([ -])6\2[45])$/.test(pattern)) return false
  const isUsual = digits.length === 15 || digits.length === 16
  let confidence = run.groups > 1 ? 0.95 : isUsual ? 0.9 : 0.6
  if (context & FLAG.card) confidence = 0.98
  else if (context & FLAG.otherNumber) confidence -= 0.3
  report('card', confidence, run.start, run.end)
  return true
}

function reportSsn(run: NumberRun, context: number, report: Report): boolean {
  const { digits, pattern } = run
  if (digits.length !== 9 || !(isSsn(digits) || isItin(digits))) return false
  const isNamed = (context & FLAG.social) !== 0
  if (pattern === '3-2-4') report('ssn', isNamed ? 0.98 : 0.9, run.start, run.end)
  else if (pattern === '3 2 4') report('ssn', isNamed ? 0.97 : 0.82, run.start, run.end)
  else if (isNamed && (pattern === '9' || pattern === '3.2.4')) report('ssn', 0.93, run.start, run.end)
  else return false
  return true
}

function reportNationalId(run: NumberRun, context: number, report: Report): boolean {
  let confidence = 0
  for (const id of idsByDigits.get(run.digits.length) ?? []) {
    const isGrouped = id.written.includes(run.pattern)
    if ((run.groups > 1 && !isGrouped) || !id.isValid(run.digits)) continue
    const isNamed = (context & (FLAG.nationalId | FLAG.social)) !== 0
    confidence = Math.max(confidence, isNamed ? id.named : isGrouped ? id.grouped : id.bare)
  }
  if (confidence === 0) return false
  const isOther = (context & FLAG.otherNumber) !== 0 && (context & FLAG.nationalId) === 0
  report('nationalId', isOther ? confidence - 0.2 : confidence, run.start, run.end)
  // An unsure one may still be a phone number.
  return confidence >= 0.8
}

/** Numbers that only their name makes personal: nothing in the digits tells a licence from an order. */
function reportNamedNumber(run: NumberRun, context: number, report: Report): boolean {
  if (run.groups > 3) return false
  const length = run.digits.length
  if (context & FLAG.licence && length >= 6 && length <= 14) {
    report('licence', 0.88, run.start, run.end)
    return true
  }
  if (context & FLAG.passport && run.groups === 1 && length >= 7 && length <= 9) {
    report('passport', 0.88, run.start, run.end)
    return true
  }
  if (
    context & FLAG.bank &&
    !(context & FLAG.otherNumber) &&
    run.groups === 1 &&
    length >= 8 &&
    length <= 12
  ) {
    report('iban', context & FLAG.phone ? 0.6 : 0.7, run.start, run.end)
  }
  return false
}

function reportPhone(tokens: Tokens, run: NumberRun, context: number, report: Report): boolean {
  const confidence = phoneConfidence(tokens, run, context)
  if (confidence > 0) report('phone', confidence, run.start, run.end)
  return confidence >= 0.5
}
