import { hasPlaceholderPart, isPlaceholder, isRegular, isTemplate } from './placeholders.ts'
import type { SecretName } from './secret-names.ts'
import { looksRandom, type Shape, shapeOf } from './text-shape.ts'
import { wordShare } from './word-share.ts'

/** How a value stands in the text. */
export interface ValuePlace {
  /** Between quotes, or in a place where only a literal can be: a flag of a command, a line of an .env file. */
  readonly isLiteral: boolean
  /** Found after "is" or the like, in a sentence. */
  readonly isProse: boolean
}

const PASSWORD_CHARS_MIN = 5
const PASSWORD_CHARS_MAX = 128
const DIGITS_ONLY_MIN = 6
const SECRET_CHARS_MIN = 8
const KEY_CHARS_MIN = 16

/** True when the value of that name is a secret and not a placeholder, a reference, code or prose. */
export function isSecretValue(name: SecretName, value: string, place: ValuePlace): boolean {
  if (/^(?:\\x[0-9a-f]{2}){8}/i.test(value)) return true
  if (value.length < PASSWORD_CHARS_MIN || isPlaceholder(value) || isNoSecret(value)) return false
  const shape = shapeOf(value)
  if (shape.spaces > 0) return place.isLiteral && (isAppPassword(value) || isSalt(value, shape))
  if (!place.isLiteral && isCode(value)) return false
  if (name.isAbout) return shape.length >= KEY_CHARS_MIN && isMixed(shape) && looksRandom(value, shape)
  switch (name.strength) {
    case 'password':
      return isPasswordLike(value, shape, place)
    case 'secret':
      return shape.length >= SECRET_CHARS_MIN && (isUuid(value) || isTokenLike(value, shape, place))
    case 'key':
      return (
        shape.length >= KEY_CHARS_MIN &&
        isMixed(shape) &&
        isTokenText(value) &&
        !isHexDigits(value) &&
        looksRandom(value, shape)
      )
  }
}

/** A password that a person may have chosen: of two kinds of characters at least. */
export function isPasswordLike(value: string, shape: Shape, place: ValuePlace): boolean {
  if (shape.length > PASSWORD_CHARS_MAX) return looksRandom(value, shape)
  const letters = shape.lower + shape.upper
  if (letters === 0) return shape.digits >= DIGITS_ONLY_MIN && /^\d+$/.test(value)
  const marks = value.replace(/[A-Za-z0-9_.,:/\\-]/g, '').length
  if (place.isProse && isHyphenated(value)) return false
  if (shape.digits > 0)
    return place.isLiteral || marks > 0 || shape.digits > 1 || shape.upper > 0 || !place.isProse
  if (marks > 0) return (place.isLiteral || (shape.lower > 0 && shape.upper > 0)) && !isSentence(value)
  return looksRandom(value, shape)
}

/** A token that a machine made: letters with digits among them, or capitals and small letters without any order. */
function isTokenLike(value: string, shape: Shape, place: ValuePlace): boolean {
  if (isWordsJoined(value) || (place.isProse && isHyphenated(value))) return false
  if (looksRandom(value, shape)) return true
  if (place.isProse) return false
  return isMixed(shape) && shape.changes >= 2 && wordShare(value) < 0.5
}

function isMixed(shape: Shape): boolean {
  return (shape.digits > 0 && shape.lower + shape.upper > 0) || (shape.lower > 0 && shape.upper > 0)
}

// Values in the place of a secret that are none: algorithms, durations, versions, dates, addresses, files, references,
// hashes (which are made to be shown), public keys and certificates.
const NO_SECRETS = [
  /^(?:aes|sha|hs|rs|es|ps|md|rsa|dsa|ec|ed|hmac|pbkdf|oauth|pkcs|utf|iso|base|argon|blake|des|rc|tls|ssl|http|ecdsa|chacha|poly|rfc|ipv|gpt|claude|win|mp|secp|prime|x(?=509|25519)|p(?=256|384|521)|h(?=26[45]))[-_]?\d{1,5}(?:[-_.]?[a-z]{1,8}\d{0,4}){0,3}$/i,
  /^\d+(?:[-_ ]?(?:bits?|bytes?|chars?|characters?|digits?|days?|hours?|hrs?|mins?|minutes?|secs?|seconds?|ms|[kmg]b|[smhdwy]|px|em|rem|th|st|nd|rd|x)){1,2}$/i,
  /^v?\d+(?:\.\d+)+(?:[-+.][a-z0-9.]+)?$/i,
  /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ].*)?$/,
  /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/,
  /^(?:[a-z][a-z0-9+.-]*:\/\/|(?:vault|op|ssm|awssm|keyvault|arn|urn|data|env|secretsmanager|projects|did)[/:])/i,
  /^(?:\.{0,2}|~|%\w+%|\$\w+)[/\\](?:[\w.@ -]+[/\\])+[\w.@ -]*$/,
  /^[\w@-][\w.@-]*\.(?:pem|key|crt|cer|pub|txt|json|ya?ml|toml|env|ini|cfg|conf|xml|html?|md|js|ts|tsx|jsx|py|rb|go|rs|java|kt|cs|php|sh|p12|pfx|jks|gpg|asc|log|csv|png|svg|jpg)$/i,
  /^\$(?:2[abxy]?|argon2\w*|5|6|1|y|scrypt|pbkdf2[\w-]*)\$/,
  /^(?:pbkdf2_\w+|bcrypt|scrypt|argon2\w*|sha\d+|md5|crypt)[$:]/i,
  /^\{(?:SSHA|SHA|MD5|CRYPT|bcrypt|noop|PBKDF2)[\w-]*\}/i,
  /^(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2)/,
  /^AAAA[BC]3NzaC1/,
  /^(?:ENC|enc|encrypted)[[(:]/,
  /^(?:0x[0-9a-f]{1,8}|[0-9a-f]{1,6})$/i,
  /^(?:application|text|image|multipart|audio|video)\//,
  /^[A-Z]{4,6}(?:-[A-Z]{4,6}){2,}$/,
  /^#[\w-]+$/,
  /^HTTP\/\d/,
  /^\.[a-z][\w-]+$/,
  /^\/\^|\[\^?[a-zA-Z0-9]-[a-zA-Z0-9]|\(\?[:=!]|\\[dwsbDWSB]/,
  /\[[^\]]*\\x/,
  /^\d{4}-\d\d-\d\dT/,
  /^[a-z]*(?:[-_](?:sha|md|aes|rsa|hmac|hs|rs|es)[-_]?\d{1,4})+(?:[-_][a-z]+)*$/i,
  /[\p{Cc}\ufffd]/u,
]

// Words for secrets between separators: `my-secret-token-1` is a name, not a token.
const NAMES_ITSELF =
  /(?:^|[-_. ])(?:secret|password|passwd|pass|token|apikey|key|pwd|credential|auth)s?(?:[-_. ]|$)/i

/** True for what stands in the place of a secret and is known to be something else. */
export function isNoSecret(value: string): boolean {
  return (
    NO_SECRETS.some((pattern) => pattern.test(value)) ||
    isPath(value) ||
    (NAMES_ITSELF.test(value) && wordShare(value) > 0.5) ||
    isEncodedText(value)
  )
}

/** Base64 of a sentence, or of a placeholder. */
function isEncodedText(value: string): boolean {
  if (value.length < SECRET_CHARS_MIN || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return false
  const decoded = Buffer.from(value, 'base64').toString('latin1').trim()
  if (!/^[\x20-\x7e]{6,}$/.test(decoded) || decoded.startsWith('-----BEGIN')) return false
  return isPlaceholder(decoded) || (decoded.includes(' ') && wordShare(decoded) > 0.5)
}

/** Words between slashes; a base64 text with slashes has none. */
function isPath(value: string): boolean {
  return /^[\w.@~%-]*(?:[/\\][\w.@~%-]+)+[/\\]?$/.test(value) && wordShare(value) > 0.4
}

// Digits that belong to a word of programs.
const TECHNICAL =
  /base(?:32|64)|utf\d+|sha\d+|u?int\d+|float\d+|md5|x509|ed25519|oauth2|k8s|i18n|es\d+|s3|ec2|v\d(?![0-9a-z])/gi

/** An expression of a program rather than a literal: a member, a call, an element, an operator, a plain variable. */
function isCode(value: string): boolean {
  if (/^[A-Za-z_$][\w$.:]*[([]/.test(value)) return true
  if (
    /^(?:self|this|cls|super|os|process|env|config|settings|request|req|ctx|args|options|opts|params|props)(?:\?)?\./.test(
      value,
    )
  )
    return true
  if (/^[&*!+([{]/.test(value)) return wordShare(value) > 0.5
  const plain = value.replace(TECHNICAL, 'type')
  const digits = plain.replace(/\D/g, '').length
  if (/^[A-Za-z_$][\w$]*(?:\.|->|::|\?\.)[A-Za-z_$]/.test(plain)) return wordShare(plain) > 0.35 && digits < 2
  if (!/^[A-Za-z_$][\w$]*$/.test(plain)) return false
  if (digits === 0) return wordShare(plain) > 0.2 || !looksRandom(plain)
  return wordShare(plain) > 0.6 && digits < 2
}

/** `user_password`, `myTokenValue2`: words with separators, at most a digit at the end. */
function isWordsJoined(value: string): boolean {
  return (
    /^[A-Za-z]+(?:[-_.:/ ][A-Za-z]+)*[-_]?\d?$/.test(value) &&
    (wordShare(value) >= 0.5 || !/\d/.test(value)) &&
    !isJumbled(value)
  )
}

/** Capitals and small letters in no order, as in `NsIdksKJdj`; names change case at most every four letters. */
function isJumbled(value: string): boolean {
  const shape = shapeOf(value)
  return shape.symbols === 0 && shape.length >= 8 && looksRandom(value, shape)
}

/** Four groups of four small letters, as Google writes them. */
function isAppPassword(value: string): boolean {
  return /^[a-z]{4}(?: [a-z]{4}){3}$/.test(value) && wordShare(value) < 0.5
}

/** Random characters of every kind, with a space among them by chance. */
function isSalt(value: string, shape: Shape): boolean {
  const dense = value.replaceAll(' ', '')
  return shape.spaces < 4 && dense.length >= 20 && shape.symbols - shape.spaces >= 4 && looksRandom(dense)
}

/** Words and numbers with hyphens between them, as in `case-sensitive` and `12-character`. */
function isHyphenated(value: string): boolean {
  return /^(?:[A-Za-z]+|\d+)(?:-(?:[A-Za-z]+|\d+))+$/.test(value)
}

/** Letters with ordinary punctuation: `can't`, `required!`, `is_empty?`. */
function isSentence(value: string): boolean {
  return /^[A-Za-z]+(?:['’][a-z]+)?[!?.…]*$/.test(value) || wordShare(value) > 0.85
}

function isUuid(value: string): boolean {
  return (
    /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value) &&
    !isRegular(value.replaceAll('-', ''))
  )
}

function isHexDigits(value: string): boolean {
  return /^(?:0x)?[0-9a-f]+$/i.test(value) || isUuid(value)
}

/** True when a password in an address or in a header is one: almost everything is, but templates and words for it. */
export function isGivenPassword(user: string, password: string): boolean {
  if (password.length < 4 || password.toLowerCase() === user.toLowerCase()) return false
  return !isTemplate(password) && !isTemplate(user) && !isPlaceholder(password) && !hasPlaceholderPart(user)
}

function isTokenText(value: string): boolean {
  return /^[\w+/=.~-]+$/.test(value)
}
