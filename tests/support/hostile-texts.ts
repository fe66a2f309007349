/** A text that tempts a parser or a pattern to read its input again and again; `of` makes it about that long. */
export interface HostileText {
  readonly name: string
  of(chars: number): string
}

const PUNCTUATION = [...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ \n\t0a']
const OPENERS = [
  ...[
    '/*',
    '*/',
    '/**',
    '--',
    '+-',
    '$$',
    '$a$',
    "E'",
    '<!--',
    '-->',
    '<a ',
    '<a b="',
    '</a>',
    '<![CDATA[',
    '<p><table>',
  ],
  ...[
    '&amp;',
    '&#',
    '{"a":',
    '[[',
    '{"',
    '\\u',
    '\\"',
    '[1,',
    '${',
    '{{',
    '}}',
    '%s',
    '(?',
    'a|',
    'a*',
    'a@',
    '@a.',
  ],
  ...[
    '1-',
    '4111 ',
    '555-',
    '+1 (',
    '10.0.',
    'AKIA',
    'sk-',
    'eyJ',
    'eyJ.',
    '-----BEGIN ',
    'password=',
    'key: ',
    'http://',
  ],
  ...[
    'select ',
    'a.b',
    'f u c k ',
    'sh1t',
    'a\u0301',
    '\u200b',
    '\u202e',
    '👋',
    '\ud800',
    'ß',
    'İ',
    '\0',
    '\r\n',
    'ﷺ',
    '漢',
  ],
]

const repeated = (piece: string): HostileText => ({
  name: `${JSON.stringify(piece)} repeated`,
  of: (chars) => piece.repeat(Math.ceil(chars / piece.length)),
})
const around = (name: string, open: string, close: string): HostileText => ({
  name,
  of: (chars) => {
    const depth = Math.floor(chars / (open.length + close.length))
    return open.repeat(depth) + close.repeat(depth)
  },
})
const ended = (piece: string, end: string): HostileText => ({
  name: `${JSON.stringify(piece)} repeated, then ${JSON.stringify(end)}`,
  of: (chars) => piece.repeat(Math.ceil(chars / piece.length)) + end,
})
const counted = (name: string, piece: (at: number) => string): HostileText => ({
  name,
  of: (chars) => {
    const pieces: string[] = []
    for (let length = 0, at = 0; length < chars; at++)
      length += pieces[pieces.push(piece(at)) - 1]?.length ?? 0
    return pieces.join('')
  },
})

/** Known hostile texts, the same list in every run; an input that a fuzzer finds belongs here. */
export const HOSTILE_TEXTS: readonly HostileText[] = [
  ...PUNCTUATION.map(repeated),
  ...OPENERS.map(repeated),
  around('nested round brackets', '(', ')'),
  around('nested JSON lists', '[', ']'),
  around('nested JSON objects', '{"a":', '}'),
  around('nested HTML elements', '<b>', '</b>'),
  around('nested comments', '/*', '*/'),
  ended('a', '!'),
  ended('a ', '@'),
  ended('a.', '@'),
  ended('1', 'x'),
  ended('A', '='),
  ended(' ', 'x'),
  ended('select 1,', ''),
  counted('distinct words', (at) => `w${at} `),
  counted('distinct numbers', (at) => `${at},`),
  counted('distinct elements', (at) => `<i${at}>`),
  counted('distinct JSON keys', (at) => `{"k${at}":`),
  counted('distinct lines', (at) => `line ${at}\n`),
]
