import { flagsBefore } from './context.ts'
import type { Report } from './finding.ts'
import { SHAPE, TOKEN, type Tokens } from './tokens.ts'
import { FLAG } from './word-flags.ts'

const STREET_ENDS =
  /(?:strasse|straße|straat|gasse|platz|allee|ufer|damm|laan|plein|gracht|singel|dijk|gata|gatan|gade|vej|vejen|vegur|vegi|vegen|veien|vagen|vägen|katu|kuja|stigur|stígur|braut|utca|grand|gränd|steeg|polku|holt|sgate|sgata|tie|weg|str|kade|hof|stræti|bakken|markt)$/i
const STREET_WORD_CHARS_MIN = 6
const STATES = new Set(
  `AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX
  UT VT VA WA WV WI WY DC PR AA AE AP NSW VIC QLD WA SA TAS ACT ON QC BC AB MB SK NS NB`.split(/\s+/),
)
const UK_POSTCODE = /[A-Z]{1,2}\d[A-Z\d]? ?\d[ABD-HJLNP-UW-Z]{2}(?![A-Za-z0-9])/y
const HOUSE = /^\d{1,4}[A-Za-z]$/
const REACH = 5
/** Street words that stand before the name and are written small. */
const LEADING =
  /^(?:rue|chemin|impasse|all[ée]e|quai|cours|place|avenue|boulevard|via|viale|corso|piazza|calle|avenida|paseo|plaza|rua|travessa|ul|ulica|al|jalan)$/

/** Finds postal addresses at a number: house number and street in either order, box, flat, and postcodes with their name. */
export function findAddress(tokens: Tokens, token: number, report: Report): void {
  const start = tokens.start[token] as number
  const end = tokens.end[token] as number
  const length = end - start
  if (length > 6 || isDecimal(tokens, token)) return
  // 221B is a house, H2O and 4K are not.
  if (tokens.kind[token] === TOKEN.mixed && !HOUSE.test(tokens.textOf(token))) return
  const before = flagsBefore(tokens, token, 8)
  const street = length <= 5 ? findStreet(tokens, token, before) : undefined
  if (street) {
    const last = streetEnd(tokens, token, street.direction)
    const [from, to] = street.direction > 0 ? [token, last] : [last, token]
    report('address', street.confidence, tokens.start[from] as number, tokens.end[to] as number)
  }
  let confidence = length <= 5 ? unitConfidence(tokens, token) : 0
  if (length >= 4) confidence = Math.max(confidence, postcodeConfidence(tokens, token, length, before))
  if (confidence > 0) report('address', confidence, start, end)
}

/** Finds a British postcode at a token of letters and digits: it names a few houses. */
export function findPostcode(tokens: Tokens, token: number, report: Report): void {
  const start = tokens.start[token] as number
  UK_POSTCODE.lastIndex = start
  const [postcode] = UK_POSTCODE.exec(tokens.text) ?? []
  if (postcode === undefined || !postcode.includes(' ')) return
  const before = flagsBefore(tokens, token, 8)
  const isNamed = (before & (FLAG.postcode | FLAG.address | FLAG.street)) !== 0
  // After a place, as on an envelope: "London NW8 9AY".
  const isPlaced = isCapital(tokens, token - 1) && !isCapital(tokens, token + 2)
  report('address', isNamed ? 0.92 : isPlaced ? 0.85 : 0.7, start, start + postcode.length)
}

interface Street {
  readonly confidence: number
  /** Where the street's name is: after the number or before it. */
  readonly direction: 1 | -1
}

/** A street word, or a word that ends like one, within a few words after the number or before it. */
function findStreet(tokens: Tokens, number: number, before: number): Street | undefined {
  const isNamed = (before & FLAG.address) !== 0
  if (streetDistance(tokens, number, 1) > 0) return { confidence: isNamed ? 0.96 : 0.9, direction: 1 }
  if (streetDistance(tokens, number, -1) > 0) return { confidence: isNamed ? 0.95 : 0.87, direction: -1 }
  // "Veslebakken 15 St.": house number in the middle.
  if (isCapital(tokens, number - 1) && isStreetAt(tokens, number + 1))
    return { confidence: 0.85, direction: -1 }
  if (!isNamed || before & FLAG.ip) return undefined
  // "my new address is 44 Netelaan": a capital word next to the number is enough when an address is announced.
  if (isCapital(tokens, number + 1)) return { confidence: 0.82, direction: 1 }
  return isCapital(tokens, number - 1) ? { confidence: 0.82, direction: -1 } : undefined
}

/** The token up to which the street's name goes: streets are called after people, and those are no finding of their own. */
function streetEnd(tokens: Tokens, number: number, direction: 1 | -1): number {
  let last = number
  for (let step = 1; step <= REACH + 1; step++) {
    const token = number + step * direction
    if (token < 0 || token >= tokens.count) break
    const isShort = (tokens.end[token] as number) - (tokens.start[token] as number) <= 4
    if (isCapital(tokens, token) || isStreetAt(tokens, token)) last = token
    else if (tokens.kind[token] === TOKEN.sign ? !isStreetSign(tokens.signAt(token)) && step > 1 : !isShort)
      break
  }
  return last
}

/** How many capital words away the street word is, in one direction; 0 when there is none. */
function streetDistance(tokens: Tokens, number: number, direction: 1 | -1): number {
  let capitals = 0
  let isAfterComma = false
  for (let step = 1; step <= REACH; step++) {
    const token = number + step * direction
    if (token < 0 || token >= tokens.count) return 0
    const kind = tokens.kind[token]
    // `St.`, `Via dell'Orso` and `Saint-Jean` go on; anything else ends the street.
    if (kind === TOKEN.sign && isStreetSign(tokens.signAt(token))) continue
    // `Rua Augusta, 1508`, but not `Wall Street, 2019`.
    if (tokens.signAt(token) === 44 && direction < 0 && step === 1) {
      isAfterComma = true
      continue
    }
    // `5 bis, rue des Lilas`, but not `in 2019, Wall Street`.
    if (tokens.signAt(token) === 44 && direction > 0 && LEADING.test(tokens.textOf(token + 1))) continue
    if (kind === TOKEN.number && step > 1 && tokens.kind[token - direction] !== TOKEN.sign) continue
    if (kind !== TOKEN.word) return 0
    const isStreet = ((tokens.flags[token] as number) & FLAG.street) !== 0
    const isLeading = !isAfterComma || LEADING.test(tokens.textOf(token).toLowerCase())
    if (isStreet && isLeading && isStreetWritten(tokens, token, direction, capitals)) return step
    if (isCapital(tokens, token)) {
      capitals++
      if (!isStreet && !isAfterComma && endsLikeStreet(tokens, token)) return step
    } else if ((tokens.end[token] as number) - (tokens.start[token] as number) > 4) return 0
  }
  return 0
}

/** Street words are capital or follow a capital word: not "3 lane road", not "2 via mail". */
function isStreetWritten(tokens: Tokens, token: number, direction: number, capitals: number): boolean {
  if (direction > 0) {
    if (capitals > 0 || (isCapital(tokens, token) && isCapitalOrShort(tokens, token + 1))) return true
    return LEADING.test(tokens.textOf(token)) && [1, 2, 3, 4].some((step) => isCapital(tokens, token + step))
  }
  // Before the number: "Rue de la Paix 5", "ul. Długa 7", "Main Street 5".
  return capitals > 0 || (isCapital(tokens, token) && isCapital(tokens, token - 1))
}

function isStreetAt(tokens: Tokens, token: number): boolean {
  return token < tokens.count && ((tokens.flags[token] as number) & FLAG.street) !== 0
}

function isStreetSign(sign: number): boolean {
  return sign === 46 || sign === 39 || sign === 8217 || sign === 45
}

function endsLikeStreet(tokens: Tokens, token: number): boolean {
  const word = tokens.textOf(token)
  return word.length >= STREET_WORD_CHARS_MIN && word.length <= 40 && STREET_ENDS.test(word)
}

/** `Apt. 276`, `Suite 108`, `P.O. Box 41`, `Unit 9104 Box 2779`. */
function unitConfidence(tokens: Tokens, number: number): number {
  let word = number - 1
  if (tokens.signAt(word) === 46 || tokens.signAt(word) === 35) word--
  if (word < 0 || !((tokens.flags[word] as number) & FLAG.unit)) return 0
  const isPostBox = /^(?:box|psc|pmb)$/i.test(tokens.textOf(word))
  if (isPostBox)
    return /p\.? ?o\.? ?box$|psc$|unit \d+,? box$|pmb$/i.test(before(tokens, word, 14)) ? 0.9 : 0.5
  if (/^(?:apt|suite|ste|apartment|apto)$/i.test(tokens.textOf(word))) return 0.86
  return 0.4
}

function postcodeConfidence(tokens: Tokens, number: number, length: number, flags: number): number {
  if (flags & FLAG.postcode) return 0.88
  const previous = tokens.signAt(number - 1) === 44 ? number - 2 : number - 1
  const isState =
    length === 5 &&
    previous > 0 &&
    tokens.shape[previous] === SHAPE.upper &&
    STATES.has(tokens.textOf(previous))
  if (!isState) return 0
  const place = tokens.signAt(previous - 1) === 44 ? previous - 2 : previous - 1
  return isCapital(tokens, place) ? 0.9 : 0.6
}

function before(tokens: Tokens, token: number, chars: number): string {
  const end = tokens.end[token] as number
  return tokens.text.slice(Math.max(0, end - chars), end)
}

function isCapital(tokens: Tokens, token: number): boolean {
  const shape = tokens.shape[token]
  return (
    token >= 0 &&
    token < tokens.count &&
    tokens.kind[token] === TOKEN.word &&
    (shape === SHAPE.title || shape === SHAPE.upper)
  )
}

function isCapitalOrShort(tokens: Tokens, token: number): boolean {
  if (isCapital(tokens, token)) return true
  if (tokens.signAt(token) === 46) return isCapital(tokens, token + 1)
  return (
    tokens.kind[token] === TOKEN.word && (tokens.end[token] as number) - (tokens.start[token] as number) <= 3
  )
}

function isDecimal(tokens: Tokens, token: number): boolean {
  const isAfter =
    tokens.isJoined(token) && tokens.kind[token - 1] === TOKEN.sign && tokens.kind[token - 2] === TOKEN.number
  const sign = tokens.signAt(token - 1)
  return (
    (isAfter && sign !== 45) || (tokens.isJoined(token) && (sign === 36 || sign === 8364 || sign === 163))
  )
}
