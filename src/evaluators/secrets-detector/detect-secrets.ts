import type { TextPlace } from './assigned-value.ts'
import { AssignmentReader } from './assignment-rule.ts'
import { isBasicCredential, isBearerToken } from './auth-headers.ts'
import {
  isNetUser,
  isPipedPassword,
  isSecureString,
  isUserFlag,
  PASSWORD_FLAG_RULES,
} from './command-credentials.ts'
import { CALL_KEYWORDS, isCredentialCall, isCredentialPair, isIdentifiedBy } from './credential-pairs.ts'
import { foldLookalikes } from './fold-lookalikes.ts'
import { isJsonWebToken } from './json-web-token.ts'
import { KeywordAutomaton } from './keyword-automaton.ts'
import { isKubernetesSecret } from './kubernetes-secret.ts'
import { TOKEN_FORMATS, tokenRule } from './match-token.ts'
import { isEncodedPrivateKey, isPrivateJwk, isPrivateKey, isPuttyKey } from './private-key.ts'
import { FOREIGN_PASSWORDS, NAME_KEYWORDS, PASSWORD_NAME } from './secret-names.ts'
import { isSeedPhrase } from './seed-phrase.ts'
import { isInsertedSecret } from './sql-insert.ts'
import { hasUrlCredentials } from './url-credentials.ts'

/** Looks at the place of a keyword; true when a secret is there. */
type PlaceRule = (text: string, start: number, end: number) => boolean

/**
 * The part of the text around a keyword that is secret for sure, for callers that take it out: the word that the keyword is part
 * of, the word after it, a whole key, object or document, or else the lines around it, because the rule does not know any closer.
 */
export type SecretExtent = 'word' | 'next word' | 'key' | 'object' | 'document' | 'lines'

/** A secret that a rule has found at a keyword; the place of the secret itself where the rule knows it. */
export interface SecretHit {
  readonly start: number
  readonly end: number
  readonly extent: SecretExtent
  readonly place?: TextPlace
}

const EXTENTS = new Map<PlaceRule, SecretExtent>([
  [isPrivateKey, 'key'],
  [isPuttyKey, 'key'],
  [isEncodedPrivateKey, 'word'],
  [isPrivateJwk, 'object'],
  [isJsonWebToken, 'word'],
  [hasUrlCredentials, 'word'],
  [isBearerToken, 'next word'],
  [isBasicCredential, 'next word'],
  [isKubernetesSecret, 'document'],
  [isInsertedSecret, 'document'],
])

const PLACE_RULES: readonly (readonly [keyword: string, rule: PlaceRule])[] = [
  ['-----BEGIN', isPrivateKey],
  ['---- BEGIN', isPrivateKey],
  ['LS0tLS1CRUdJTi', isEncodedPrivateKey],
  ['PuTTY-User-Key-File-', isPuttyKey],
  ['"d"', isPrivateJwk],
  ['"d\\', isPrivateJwk],
  ['eyJ', isJsonWebToken],
  ['://', hasUrlCredentials],
  ['kind:', isKubernetesSecret],
  ['bearer', isBearerToken],
  ['basic', isBasicCredential],
  ['-u', isUserFlag],
  ['--user', isUserFlag],
  ['--proxy-user', isUserFlag],
  ['identified', isIdentifiedBy],
  ['net user', isNetUser],
  ['values', isInsertedSecret],
  ['sudo -s', isPipedPassword],
  ['chpasswd', isPipedPassword],
  ['ConvertTo-SecureString', isSecureString],
  ...['seed phrase', 'seed words', 'recovery phrase', 'secret phrase', 'backup phrase', 'mnemonic'].map(
    (word) => [word, isSeedPhrase] as const,
  ),
  ...PASSWORD_FLAG_RULES,
  ...['credential', 'creds', 'login', 'log in', 'signin', 'sign in'].map(
    (word) => [word, isCredentialPair] as const,
  ),
  ...CALL_KEYWORDS.map((word): [string, PlaceRule] => [
    word,
    (text, _start, end) => isCredentialCall(text, end),
  ]),
]

/** The rules of each keyword; names are read by a rule that remembers how far it has come. */
const rulesByKeyword = new Map<string, PlaceRule[]>(
  [...NAME_KEYWORDS, ...FOREIGN_PASSWORDS].map((keyword) => [keyword, []]),
)
for (const [keyword, rule] of PLACE_RULES) addRule(keyword, rule)
for (const format of TOKEN_FORMATS) {
  const rule = tokenRule(format)
  EXTENTS.set(rule, 'word')
  addRule(format.keyword, rule)
}

const keywords = [...rulesByKeyword.keys()]
const rules = [...rulesByKeyword.values()]
const isName = keywords.map((keyword) => NAME_KEYWORDS.includes(keyword))
const isForeign = keywords.map((keyword) => FOREIGN_PASSWORDS.includes(keyword))
const automaton = new KeywordAutomaton(keywords)

/**
 * True when the text holds a key, a token or a password. One pass finds the keywords of all rules; each rule then looks at
 * the place of its keyword, never further than its own limits, so that the time grows with the text and nothing else.
 */
export function hasSecret(written: string): boolean {
  return scanSecrets(foldLookalikes(written), () => true)
}

/** Tells every secret of a text without look-alikes, until the listener returns true; returns whether it did. */
export function scanSecrets(text: string, onSecret: (hit: SecretHit) => boolean): boolean {
  const names = new AssignmentReader(text)
  return automaton.scan(text, (id, end) => {
    const start = end - (keywords[id] as string).length
    for (const rule of rules[id] as PlaceRule[]) {
      if (rule(text, start, end) && onSecret({ start, end, extent: EXTENTS.get(rule) ?? 'lines' }))
        return true
    }
    const isGiven = isName[id]
      ? names.isSecretAround(start, end)
      : isForeign[id] === true &&
        names.isGivenSecret({ start, end: inflectionEnd(text, end) }, 'password', PASSWORD_NAME)
    if (!isGiven) return false
    const { place } = names
    return onSecret({ start, end, extent: 'lines', ...(place && { place }) })
  })
}

/** A word of another language may go on with an ending: "şifreniz", "비밀번호는". */
function inflectionEnd(text: string, end: number): number {
  return end + (/^\p{L}{0,5}/u.exec(text.slice(end, end + 5))?.[0].length ?? 0)
}

function addRule(keyword: string, rule: PlaceRule): void {
  const key = keyword.toLowerCase()
  const known = rulesByKeyword.get(key)
  if (known) known.push(rule)
  else rulesByKeyword.set(key, [rule])
}
