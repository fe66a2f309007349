/**
 * How much a name says about its value. `password`: people choose them, almost anything can be one. `secret`: secrets,
 * tokens and keys for something, made by machines. `key`: a key of any kind; most are no secrets.
 */
export type NameStrength = 'password' | 'secret' | 'key'

/** The hint that a name such as `db_password` or `apiKeyId` gives about its value. */
export interface SecretName {
  readonly strength: NameStrength
  /** True when the name goes on to something about the secret, such as `password_length`; only a random value counts. */
  readonly isAbout: boolean
  /** True when other words follow the one that says what it is. */
  readonly hasTail: boolean
  /** True for "pass" alone, which in sentences is something one does. */
  readonly isVerb: boolean
}

/** The hint that the plain word for a password gives. */
export const PASSWORD_NAME: SecretName = {
  strength: 'password',
  isAbout: false,
  hasTail: false,
  isVerb: false,
}

/** Literals of which every name of a secret contains one. */
export const NAME_KEYWORDS: readonly string[] =
  'pass pasw psw pssw pwd pw secret token key cred auth salt nonce cookie bearer'.split(' ')

/** The word for "password" in other languages; these need no splitting into words. */
export const FOREIGN_PASSWORDS: readonly string[] = [
  ...'contraseña contrasena senha palavra-passe kennwort wachtwoord lösenord adgangskode salasana heslo hasło'.split(
    ' ',
  ),
  ...'jelszó parola şifre пароль 密码 密碼 口令 パスワード 비밀번호 비번 पासवर्ड รหัสผ่าน סיסמה'.split(' '),
  ...['clave de acceso', 'mot de passe', 'kata sandi', 'mật khẩu', 'كلمة المرور'],
]

// Words after the keyword that leave the meaning as it is.
const NEUTRAL =
  wordSet(`value val str string text plain plaintext raw data default prod production dev staging stage test env new old
  current hex b base admin user root db live main master temp bytes literal const static final my the a for of to v s`)

// Words after the keyword that make it something about the secret.
const ABOUT =
  wordSet(`field label input hint placeholder type id ids name names url uri link path file filename dir directory folder
  policy length len min max count limit limits reset change changed required valid validation validator regex pattern error errors
  message msg status state expiry expires expiration expired ttl age at time timestamp date format encoding algorithm alg size bits
  version provider manager store storage service class column prefix suffix index prompt strength score button form page title
  description desc help event handler callback rotation enabled disabled visible mode usage used budget cost price rate number num
  idx pos position location source arn ref reference vault group role scope scopes list map dict table tab set box bar hole word words
  board pair pairs ring chain frame points point event press down up code codes stroke less exists present
  generator factory builder helper utils util model schema column columns endpoint header headers attempts attempt tries retry retries`)

// Words anywhere in the name that make its value something one may show.
const HARMLESS =
  wordSet(`public pub publishable primary foreign sort partition cache idempotency idempotent hash hashed digest
  checksum fingerprint thumbprint sha sha1 sha256 sha512 md5 shortcut translation locale i18n object dictionary row col
  foreignkey primarykey publickey pubkey hotkey keyword keywords keyboard cachekey sortkey groupkey storagekey
  tokenizer tokenize passing passenger passport passive compass bypass author authors authority keynote keys monkey turkey donkey
  hockey jockey whiskey passed passes passage max min num total`)

// Words before a name that make its value something one may show: "public key:", "sort key:".
const HARMLESS_BEFORE = wordSet('public publishable primary foreign sort partition cache object shortcut hot')

// Words before "key" that make it the key to something.
const KEY_FOR =
  wordSet(`api access secret private priv auth authorization app application client encryption encrypt decryption decrypt
  enc crypt crypto cipher signing sign signature sig hmac aes des rsa dsa ecdsa ssh ssl tls master session service account storage
  shared subscription integration server admin jwt jwk webhook deploy deployment license x cloud iam hmacsha256 recovery wallet symmetric
  data bucket s3 aws gcp azure google openai anthropic stripe twilio sendgrid github gitlab slack datadog heroku softlayer sl ibm
  cloudant cos artifactory artif jfrog mailgun mailchimp firebase fcm cloudflare algolia newrelic sentry okta auth0 github hf
  huggingface groq cohere mistral replicate pinecone`)

const PASSWORD = /(?:pa?s{1,2}w[a-z]{0,4}d|passwort|passphrase|passcode|pass[_-]?key)s?$/
const PASS_ENDING = /^(?!(?:com|by|sur|tres|over|under|encom|im)pass).{0,20}pass$/
const SECRET =
  /(?:secret|credential|token|bearer|authorization|apikey|accesskey|secretkey|privatekey|authkey|signingkey|encryptionkey|masterkey|privkey)s?$/
const KEY = /(?:key|^auth|^salt|^nonce|cookie|^creds?)$/

/** Reads a name with the word before it, which matters in "public key:" and "API key:". */
export function readSecretName(name: string, wordBefore: string): SecretName | undefined {
  const words = splitName(name)
  if (words.some((word) => HARMLESS.has(word)) || HARMLESS_BEFORE.has(wordBefore)) return undefined
  let isAbout = false
  let hasTail = false
  for (let at = words.length - 1; at >= 0; at--) {
    const word = words[at] ?? ''
    // In the environment of a process a key is the key to something: `ACME_KEY`.
    const isSetting = word === 'key' && at > 0 && !hasTail && /^[A-Z0-9_]+$/.test(name)
    const strength = isSetting ? 'secret' : strengthOf(word, [wordBefore, ...words.slice(0, at)])
    // "pass" is a verb in most names: only as their last word does it mean a password.
    if (strength && !(word === 'pass' && hasTail))
      return { strength, isAbout, hasTail, isVerb: name === 'pass' || name === 'Pass' }
    if (!NEUTRAL.has(word)) {
      hasTail = true
      isAbout ||= ABOUT.has(word)
    }
  }
  return undefined
}

function strengthOf(word: string, before: readonly string[]): NameStrength | undefined {
  if (PASSWORD.test(word) || PASS_ENDING.test(word) || /^(?:.{0,20}pwd|.{0,4}pw|psw)$/.test(word))
    return 'password'
  if (SECRET.test(word)) return 'secret'
  if (!KEY.test(word)) return undefined
  return /^cred/.test(word) || (word.endsWith('key') && before.some((one) => KEY_FOR.has(one)))
    ? 'secret'
    : 'key'
}

/** `dbPassword_2` becomes db, password. */
function splitName(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean)
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/))
}
