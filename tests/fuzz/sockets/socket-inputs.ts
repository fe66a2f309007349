import type { Random } from '../../otlp/random-traces.ts'

/** Bytes for a bare connection, and what may come back. */
export interface SocketInput {
  readonly shape: string
  /** Written one after the other; each character is one byte. */
  readonly parts: readonly string[]
  /**
   * `answered`: the server answers and ends the connection. `ended`: the client ends its half after the last part, and the
   * server ends the rest. `cut`: the client is gone after the last part.
   */
  readonly ending: 'answered' | 'ended' | 'cut'
  /** More answers than this mean that bytes of one request were taken for another. */
  readonly answersMax: number
}

const CLOSE = 'Host: x\r\nConnection: close\r\n'
const SMUGGLED = 'GET /v2/whoami HTTP/1.1\r\nHost: x\r\n\r\n'

/** Bytes that are not, not quite, or not only an HTTP/1.1 request. */
export function makeSocketInput(random: Random): SocketInput {
  const [shape, make] = random.pick(Object.entries(SHAPES))
  const made = make(random)
  return {
    shape,
    parts: random.chance(3) ? fragments(random, made.text) : [made.text],
    ending: made.ending ?? 'answered',
    answersMax: made.answersMax ?? 1,
  }
}

interface Made {
  readonly text: string
  readonly ending?: SocketInput['ending']
  readonly answersMax?: number
}

const post = (headers: string, body: string) => `POST /v1/traces HTTP/1.1\r\nHost: x\r\n${headers}\r\n${body}`
const get = (path: string, headers = CLOSE) => `GET ${path} HTTP/1.1\r\n${headers}\r\n`

/** Each shape is made anew for each input. */
const SHAPES: Readonly<Record<string, (random: Random) => Made>> = {
  'length and chunks': (random) => ({
    text: post(
      random.pick([
        'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n',
        'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n',
        'Content-Length: 0\r\nTransfer-Encoding: chunked\r\n',
      ]),
      `0\r\n\r\n${SMUGGLED}`,
    ),
  }),
  'odd transfer coding': (random) => ({
    text: post(
      random.pick([
        'Transfer-Encoding: xchunked\r\n',
        'Transfer-Encoding : chunked\r\nContent-Length: 4\r\n',
        'Transfer-Encoding: chunked, identity\r\n',
        'Transfer-Encoding:\u000bchunked\r\nContent-Length: 4\r\n',
        'Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n',
        'X: y\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n',
      ]),
      `0\r\n\r\n${SMUGGLED}`,
    ),
    ending: 'ended',
  }),
  'odd length': (random) => ({
    text: post(
      random.pick([
        'Content-Length: +4\r\n',
        'Content-Length: -1\r\n',
        'Content-Length: 0x4\r\n',
        'Content-Length: 4, 4\r\n',
        'Content-Length: 4\r\nContent-Length: 5\r\n',
        'Content-Length: 99999999999999999999\r\n',
        'Content-Length: 4 4\r\n',
        'Content-Length: \r\n',
      ]),
      `abcd${SMUGGLED}`,
    ),
    ending: 'ended',
    // The length 4 that is written twice is one length, and what follows is a request.
    answersMax: 2,
  }),
  'bad chunk': (random) => ({
    text: post(
      'Transfer-Encoding: chunked\r\nConnection: close\r\n',
      random.pick([
        'ZZ\r\nabcd\r\n0\r\n\r\n',
        '-1\r\nabcd\r\n0\r\n\r\n',
        'FFFFFFFFFFFFFFFFF\r\nabcd\r\n0\r\n\r\n',
        '4\nabcd\n0\n\n',
        '4\r\nabcdefgh\r\n0\r\n\r\n',
        `4;${'x'.repeat(20_000)}\r\nabcd\r\n0\r\n\r\n`,
        '4\r\nabcd0\r\n\r\n',
        `0\r\n${'T: v\r\n'.repeat(3_000)}\r\n`,
        '\r\n\r\n',
      ]),
    ),
    ending: 'ended',
  }),
  'folded header': () => ({
    text: get('/healthz', 'Host: x\r\n folded\r\nX: a\r\n\tb\r\nConnection: close\r\n'),
    ending: 'ended',
  }),
  'huge headers': (random) => ({
    text: get(
      '/healthz',
      random.pick([`${CLOSE}X: ${'h'.repeat(40_000)}\r\n`, `${CLOSE}${'A: b\r\n'.repeat(5_000)}`]),
    ),
  }),
  'odd header': (random) => ({
    text: get(
      '/healthz',
      random.pick([
        `${CLOSE}X\u0000: y\r\n`,
        `${CLOSE}: y\r\n`,
        `${CLOSE}X: a\u0000b\r\n`,
        `${CLOSE}no colon\r\n`,
        `${CLOSE}X: a\rb\r\n`,
        'Connection: close\r\n',
        'Host: a\r\nHost: b\r\nConnection: close\r\n',
        `${CLOSE}Expect: 200-maybe\r\n`,
      ]),
    ),
    ending: 'ended',
  }),
  'pipelined requests': (random) => {
    const count = 2 + random.below(15)
    return { text: get('/healthz', 'Host: x\r\n').repeat(count - 1) + get('/healthz'), answersMax: count }
  },
  'odd target': (random) => ({
    text: get(
      random.pick([
        'http://127.0.0.1/healthz',
        'http://evil.example/v2/whoami',
        '//healthz',
        '/healthz#x',
        '/%',
        '/%00',
        '/..%2f..%2fetc/passwd',
        '/assets/..%5c..%5cetc',
        `/${'u'.repeat(30_000)}`,
        '/heal thz',
        '/\u00ff\u00fe',
        '*',
        'healthz',
      ]),
    ),
    ending: 'ended',
  }),
  'odd request line': (random) => ({
    text: random.pick([
      `get /healthz HTTP/1.1\r\n${CLOSE}\r\n`,
      `GET /healthz HTTP/9.9\r\n${CLOSE}\r\n`,
      `GET /healthz\r\n\r\n`,
      `GET  /healthz HTTP/1.1\r\n${CLOSE}\r\n`,
      `\r\n\r\nGET /healthz HTTP/1.1\r\n${CLOSE}\r\n`,
      `${'M'.repeat(9_000)} / HTTP/1.1\r\n${CLOSE}\r\n`,
      `CONNECT evil.example:443 HTTP/1.1\r\n${CLOSE}\r\n`,
      `OPTIONS * HTTP/1.1\r\n${CLOSE}\r\n`,
      `TRACE / HTTP/1.1\r\n${CLOSE}\r\n`,
      `GET /healthz HTTP/1.0\r\nConnection: close\r\n\r\n`,
    ]),
    ending: 'ended',
  }),
  upgrade: (random) => ({
    text: get(
      '/healthz',
      random.pick([
        'Host: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n',
        'Host: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n',
      ]),
    ),
    ending: 'ended',
  }),
  'another protocol': (random) => ({
    text: random.pick([
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000',
      '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
      'SSH-2.0-OpenSSH_9.6\r\n',
      '\u0000\u0000\u0000\u0008\u0004\u00d2\u0016\u002f',
      '*1\r\n$4\r\nPING\r\n',
    ]),
    ending: 'ended',
  }),
  'early end': (random) => ({
    text: post(`Content-Length: ${random.pick([10, 100_000, 16_777_216])}\r\n`, 'abc').slice(
      0,
      10 + random.below(80),
    ),
    ending: random.pick(['cut', 'ended']),
    // The key is refused before the body has come, and then the body does not come.
    answersMax: 2,
  }),
  'flipped bytes': (random) => {
    const bytes = Buffer.from(
      post('Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n', '{}'),
    )
    for (let flips = 1 + random.below(4); flips > 0; flips--)
      bytes[random.below(bytes.length)] = random.below(256)
    return { text: bytes.toString('latin1'), ending: 'ended', answersMax: 2 }
  },
}

function fragments(random: Random, text: string): string[] {
  const cuts = Array.from({ length: 1 + random.below(4) }, () => random.below(text.length + 1)).toSorted(
    (a, b) => a - b,
  )
  return [0, ...cuts].map((from, at) => text.slice(from, cuts[at] ?? text.length)).filter(Boolean)
}
