import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { after, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import { partsOf } from '../../app/roles.ts'
import type { RouteDeps } from '../route.ts'
import { healthzRoute } from '../routes/service/healthz.ts'
import { buildServer } from '../server.ts'

const INDEX =
  '<!doctype html><title>Assay</title><script type="module" src="/assets/index-BPVb6i7D.js"></script>'
const SCRIPT = 'console.log("a script that is long enough to be compressed");\n'.repeat(100)
const IMMUTABLE = 'public, max-age=31536000, immutable'
const PAGES = ['inbox', 'setups', 'monitors', 'evaluations', 'traces', 'sessions', 'evaluators', 'settings']

function build(): string {
  const root = temporaryDirectory()
  const dir = path.join(root, 'dist')
  mkdirSync(path.join(dir, 'assets'), { recursive: true })
  writeFileSync(path.join(root, 'secret.txt'), 'secret')
  writeFileSync(path.join(dir, 'index.html'), INDEX)
  writeFileSync(path.join(dir, '.built'), 'secret')
  writeFileSync(path.join(dir, 'assets/.hidden'), 'secret')
  writeFileSync(path.join(dir, 'assets/index-BPVb6i7D.js'), SCRIPT)
  writeFileSync(path.join(dir, 'assets/session-page-A-81o-f2.js'), 'short()')
  writeFileSync(path.join(dir, 'assets/index-DFQTPFAD.css'), 'body{}')
  writeFileSync(path.join(dir, 'assets/icon.svg'), '<svg/>')
  writeFileSync(path.join(dir, 'assets/some-drawings.png'), 'png')
  symlinkSync(path.join(root, 'secret.txt'), path.join(dir, 'assets/link.txt'))
  return dir
}

interface Reply {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

/** Not fetch, which tidies paths up before it sends them. */
async function listen(dashboardDir?: string) {
  const deps = {
    logger: recordingLogger([]),
    metrics: { countRequest() {} },
    ids: { newId: () => 'id' },
  } as unknown as RouteDeps
  const server = buildServer([healthzRoute], deps, {
    bodyBytesMax: 1_024,
    ...(dashboardDir === undefined ? {} : { dashboardDir }),
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
  after(() => server.close())
  const { port } = server.server.address() as AddressInfo
  return async (target: string, headers: http.OutgoingHttpHeaders = {}, method = 'GET'): Promise<Reply> => {
    const request = http.request({ port, host: '127.0.0.1', path: target, method, headers, agent: false })
    request.end()
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    const parts: Buffer[] = []
    for await (const part of response) parts.push(part)
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }
  }
}

const get = await listen(build())

test('200 with the page at / and at every address of it, without a key', async () => {
  const addresses = PAGES.flatMap((page) => [`/${page}`, `/${page}/`, `/${page}/a/b?c=d`, `/${page}/a%2fb`])
  for (const address of ['/', '/?a=b', ...addresses]) {
    const { status, headers, body } = await get(address)
    assert.deepEqual(
      [address, status, headers['content-type'], headers['cache-control'], body.toString()],
      [address, 200, 'text/html; charset=utf-8', 'no-cache', INDEX],
    )
  }
})

test('every file says what a browser may do with it', async () => {
  for (const address of ['/', '/traces/x', '/assets/index-BPVb6i7D.js', '/assets/icon.svg']) {
    const { headers } = await get(address)
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
        "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
    assert.match(String(headers['permissions-policy']), /camera=\(\).*geolocation=\(\).*microphone=\(\)/)
    assert.doesNotMatch(String(headers['permissions-policy']), /\*|self/)
  }
})

test('only a name that changes with its content is kept for ever', async () => {
  for (const [name, type, caching] of [
    ['index-BPVb6i7D.js', 'text/javascript; charset=utf-8', IMMUTABLE],
    ['session-page-A-81o-f2.js', 'text/javascript; charset=utf-8', IMMUTABLE],
    ['index-DFQTPFAD.css', 'text/css; charset=utf-8', IMMUTABLE],
    ['icon.svg', 'image/svg+xml; charset=utf-8', 'no-cache'],
    ['some-drawings.png', 'image/png', 'no-cache'],
  ]) {
    const { status, headers } = await get(`/assets/${name}`)
    assert.deepEqual(
      [name, status, headers['content-type'], headers['cache-control']],
      [name, 200, type, caching],
    )
  }
})

test('a long text is compressed as the client can read it, a short one is not', async () => {
  const script = '/assets/index-BPVb6i7D.js'
  const brotli = await get(script, { 'accept-encoding': 'gzip, deflate, br;q=0.5' })
  assert.equal(brotli.headers['content-encoding'], 'br')
  assert.equal(brotliDecompressSync(brotli.body).toString(), SCRIPT)
  assert.equal(Number(brotli.headers['content-length']), brotli.body.length)
  const gzip = await get(script, { 'accept-encoding': 'gzip, br;q=0' })
  assert.equal(gzip.headers['content-encoding'], 'gzip')
  assert.equal(gunzipSync(gzip.body).toString(), SCRIPT)
  const plain = await get(script)
  assert.equal(plain.headers['content-encoding'], undefined)
  assert.equal(plain.body.toString(), SCRIPT)
  for (const { headers } of [brotli, gzip, plain]) assert.equal(headers['vary'], 'accept-encoding')
  assert.equal(new Set([brotli, gzip, plain].map(({ headers }) => headers['etag'])).size, 3)
  const short = await get('/assets/session-page-A-81o-f2.js', { 'accept-encoding': 'br' })
  assert.equal(short.headers['content-encoding'], undefined)
})

test('304 for whoever has the file already, in the same encoding', async () => {
  for (const [address, encoding] of [
    ['/', ''],
    ['/assets/index-BPVb6i7D.js', 'br'],
  ] as const) {
    const headers = { 'accept-encoding': encoding }
    const { headers: first } = await get(address, headers)
    const etag = String(first['etag'])
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(address, { ...headers, 'if-none-match': known })
      assert.deepEqual([known, again.status, again.body.length], [known, 304, 0])
      assert.equal(again.headers['etag'], etag)
      assert.equal(again.headers['cache-control'], first['cache-control'])
    }
    assert.equal((await get(address, { ...headers, 'if-none-match': '"other"' })).status, 200)
  }
})

test('HEAD tells the length and sends nothing', async () => {
  for (const address of ['/', '/settings', '/assets/index-BPVb6i7D.js']) {
    const head = await get(address, {}, 'HEAD')
    const { body, headers } = await get(address)
    assert.deepEqual([head.status, head.body.length], [200, 0])
    assert.equal(Number(head.headers['content-length']), body.length)
    assert.equal(head.headers['etag'], headers['etag'])
  }
})

test('404 for everything that is not a file of the build, however it is written', async () => {
  for (const address of [
    '/assets/',
    '/assets/nope.js',
    '/assets/.hidden',
    '/assets/link.txt',
    '/assets/../.built',
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/..%2F..%2F..%2Fpackage.json',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/assets/%2e%2e%2f.built',
    '/assets//etc/passwd',
    '/assets/%00',
    '/assets/index-BPVb6i7D.js%00.txt',
    '/assets/index.html',
    '/index.html',
    '/.built',
    '/assets',
    '/nope',
    '/setups2',
    '//',
    '/Setups',
  ]) {
    const { status, headers, body } = await get(address)
    assert.deepEqual([address, status, headers['cache-control']], [address, 404, 'no-store'])
    assert.deepEqual(Object.keys(JSON.parse(body.toString())), ['error'])
  }
})

test('404 with the page for a browser at an address that leads nowhere, and with an error for everything else', async () => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  for (const address of ['/nope', '/setups2/a?b=c', '/Setups', '/index.html']) {
    const { status, headers, body } = await get(address, { accept })
    assert.deepEqual(
      [address, status, headers['content-type'], headers['cache-control'], body.toString()],
      [address, 404, 'text/html; charset=utf-8', 'no-store', INDEX],
    )
    assert.match(String(headers['content-security-policy']), /default-src 'none'/)
  }
  for (const [address, method, accepted] of [
    ['/nope', 'GET', 'application/json'],
    ['/nope', 'POST', accept],
    ['/v2/nope', 'GET', accept],
    ['/assets/nope.js', 'GET', accept],
  ] as const) {
    const { status, body } = await get(address, { accept: accepted }, method)
    assert.deepEqual([address, status, Object.keys(JSON.parse(body.toString()))], [address, 404, ['error']])
  }
})

test('405 for other methods at the same addresses', async () => {
  for (const address of ['/', '/setups', '/traces/x', '/assets/icon.svg']) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await get(address, {}, method)
      assert.deepEqual([address, method, status, headers['allow']], [address, method, 405, 'GET, HEAD'])
    }
  }
})

test('200 with a page that says how to build it while there is no build, and the built one afterwards', async () => {
  const dir = build()
  rmSync(path.join(dir, 'index.html'))
  const visit = await listen(dir)
  for (const address of ['/', '/monitors/x']) {
    const { status, headers, body } = await visit(address)
    assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'])
    assert.match(body.toString(), /npm run build.*href="\/docs"/s)
  }
  assert.equal((await visit('/assets/icon.svg')).status, 404)
  assert.equal((await visit('/healthz')).status, 200)
  writeFileSync(path.join(dir, 'index.html'), INDEX)
  assert.equal((await visit('/')).body.toString(), INDEX)
})

test('a build that is replaced does not mix with the one that is served', async () => {
  const dir = build()
  const visit = await listen(dir)
  await visit('/')
  rmSync(dir, { recursive: true })
  assert.equal((await visit('/')).body.toString(), INDEX)
  assert.equal((await visit('/assets/index-BPVb6i7D.js')).body.toString(), SCRIPT)
})

test('404 at all of its addresses where no dashboard is served', async () => {
  const visit = await listen()
  for (const address of ['/', '/setups', '/assets/icon.svg']) {
    for (const method of ['GET', 'POST']) assert.equal((await visit(address, {}, method)).status, 404)
  }
})

test('processes that serve the interface show the dashboard, the others do not', () => {
  const shown = (['all', 'api', 'ingest', 'worker'] as const).map((role) => partsOf(role).servesDashboard)
  assert.deepEqual(shown, [true, true, false, false])
})
