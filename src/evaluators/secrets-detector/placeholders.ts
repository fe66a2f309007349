import { longestSequence, regularShare } from './text-shape.ts'

// Placeholders that people write where a value belongs. Long enough not to turn up in random text.
const PLACEHOLDER_PARTS =
  /example|placeholder|change[-_ ]?(?:me|this|it)|replace|insert|redact|masked|censored|sanitized|dummy|sample|your|goes[-_ ]?here|[-_ ]here\b|not[-_ ]?(?:a[-_ ]?)?real|lorem|ipsum|foobar|fixme|undefined|unknown|xxxx|\*\*\*|\.\.\.|…|•••|____|#{4}|0{8}|-{4}/i

// Values that stand for "a password" or "nothing" when they are all there is, apart from digits and marks around them.
const PLACEHOLDER_WORDS = new Set(
  `password passwd passwort passphrase passcode pass pwd pw passw pswd mypass mypassword mypasswd mysecret mysecretpassword
  mysecretkey mytoken mykey myapikey mysuperpassword userpassword userpass userpwd dbpassword dbpass adminpassword adminpass rootpassword
  rootpass newpassword oldpassword plainpassword testpassword testpass testsecret testtoken testkey somepassword
  somesecret sometoken somekey password1 thepassword apassword secretpassword secretpass supersecret supersecretpassword
  supersecretkey topsecret verysecret verysecretpassword strongpassword securepassword securepass
  secret secrets secretkey secrettoken secretvalue secretstring apikey apisecret apitoken accesskey accesstoken authtoken
  bearertoken clientsecret privatekey token tokens key keys value values val string str text bytes literal
  test tests testing tester demo temp tmp foo bar baz qux foobar foobaz none null nil undefined true false yes no na
  empty blank default defaults hidden todo tbd user username admin root guest login anonymous credentials credential creds
  postgres mysql redis mongo mongodb rabbitmq minio elastic oracle abc abcd abcdef abcde xyz qwerty qwertyuiop asdf asdfgh
  asdfasdf hello world helloworld opensesame fake mock stub any something anything whatever required optional
  encrypted hashed prompt stdin env environment vault keychain keyring basic bearer digest oauth invalid wrong incorrect bad
  correct valid expired missing short long weak strong somevalue here thisisasecret thisismysecret base64 utf
  xoauthbasic sha md hex uuid guid jwt aes rsa hmac`.split(/\s+/),
)

const LEET: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

// Whole values that are filled in later: ${X}, $X, {{x}}, {x}, <x>, [x], %X%, %s, #{x}, :x, @x@, __X__, and calls.
const TEMPLATES = [
  /\$\{|\{\{|\$\(|<%|#\{|%\(|\$\[|@\{|\}\}/,
  /^\$[A-Za-z_]\w*(?:->|[-:{[(/.]|$)/,
  /^\$?\{[^{}]*\}$|^\{\w+\}/,
  /^<[^<>]*>?$/,
  /^\[[^[\]]*\]$/,
  /^%[A-Za-z_]\w*%$/,
  /^%[-+0-9.]*[a-z]$|%s/,
  /^@[A-Za-z_]\w*@$/,
  /^__\w+__$/,
  /^:[a-z_]+$/,
  /^&(?:lt|#60|#x3c)\b/i,
]

/** The longest sequence that is still believed to be chance or choice in a value. */
const SEQUENCE_MAX = 6
const SHORT_CHARS = 16

/** True for a value that is filled in later by a template, a shell or a person. */
export function isTemplate(value: string): boolean {
  return TEMPLATES.some((template) => template.test(value))
}

/** True for words that say "put yours here" or "left out", anywhere in the value. */
export function hasPlaceholderPart(value: string): boolean {
  return PLACEHOLDER_PARTS.test(value)
}

/** True for a value with a long run such as `abcdefg` or `1234567` in it: chance does not make these. */
export function countsOn(value: string): boolean {
  return longestSequence(value) > SEQUENCE_MAX
}

/** True for a value that counts, or repeats one character: `abcdefg`, `1234567890`, `aaaaaaaa`, `abc123`. */
export function isRegular(value: string): boolean {
  if (countsOn(value)) return true
  if (/^(.)\1*$/s.test(value)) return true
  return value.length <= SHORT_CHARS && regularShare(value) > 0.6
}

/** True for a value that is never a real secret: a template, a placeholder, a counted sequence, a name of itself. */
export function isPlaceholder(value: string): boolean {
  return isTemplate(value) || hasPlaceholderPart(value) || isRegular(value) || isPlaceholderWord(value)
}

/** No listed word with what people put around it is longer. */
const WORD_CHARS_MAX = 48

function isPlaceholderWord(value: string): boolean {
  if (value.length > WORD_CHARS_MAX) return false
  const plain = value.toLowerCase()
  return (
    isListed(plain) ||
    isListed(plain.replace(/[013457@$!]/g, (sign, at: number) => (at === 0 ? sign : (LEET[sign] ?? sign))))
  )
}

/** Listed as it is, or without the digits and marks that people put around a word. */
function isListed(value: string): boolean {
  const joined = value.replace(/[-_ .]/g, '')
  if (PLACEHOLDER_WORDS.has(joined)) return true
  const bare = joined.replace(/^[^a-z]+|[^a-z]+$/g, '')
  return (
    bare !== '' &&
    (PLACEHOLDER_WORDS.has(bare) || /^[a-z]*(?:password|passwd|pass|pwd|secret|token|key)$/.test(bare))
  )
}
