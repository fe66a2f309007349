import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import http2 from 'node:http2'
import https from 'node:https'
import path from 'node:path'
import { test } from 'node:test'
import tls from 'node:tls'
import { encodeTraces } from '../otlp/encode-traces.ts'
import { FIRST_KEY } from '../support/call.ts'
import { framed, grpcCall, TRACES } from '../support/grpc-call.ts'
import { SELF_SIGNED, SELF_SIGNED_NEXT } from '../support/self-signed.ts'
import { startRestingService, startService } from '../support/service.ts'
import { chatSpan, eventually } from '../support/spans.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const directory = temporaryDirectory()
const certFile = path.join(directory, 'tls.crt')
const keyFile = path.join(directory, 'tls.key')
const install = ({ cert, key }: { readonly cert: string; readonly key: string }) => {
  writeFileSync(keyFile, key)
  writeFileSync(certFile, cert)
}
install(SELF_SIGNED)

const TLS = { ASSAY_TLS_CERT_FILE: certFile, ASSAY_TLS_KEY_FILE: keyFile }
const service = await startService(TLS, { withGrpc: true })
const port = Number(new URL(service.url).port)
const ca = [SELF_SIGNED.cert, SELF_SIGNED_NEXT.cert]

/** The status and the body of a GET over TLS. */
async function get(
  target: string,
  options: https.RequestOptions = {},
): Promise<{ status: number | undefined; text: string }> {
  const request = https.get({ host: 'localhost', port, path: target, ca, agent: false, ...options })
  const [response] = await once(request, 'response')
  let text = ''
  for await (const part of response.setEncoding('utf8')) text += part
  return { status: response.statusCode, text }
}

/** The fingerprint of the certificate that a new connection is shown. */
async function shownFingerprint(at: number, ALPNProtocols?: string[]): Promise<string> {
  const socket = tls.connect({ host: 'localhost', port: at, ca, ...(ALPNProtocols ? { ALPNProtocols } : {}) })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

test('HTTP is served over TLS, and the address says so', async () => {
  assert.match(service.url, /^https:/)
  const headers = { authorization: `Bearer ${FIRST_KEY}` }
  assert.equal((await get('/v2/evaluators', { headers })).status, 200)
  assert.equal((await get('/v2/evaluators')).status, 401)
  await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`))
})

test('TLS older than 1.2 is refused', async () => {
  for (const maxVersion of ['TLSv1', 'TLSv1.1'] as const) {
    await assert.rejects(get('/healthz', { minVersion: 'TLSv1', maxVersion, ciphers: 'DEFAULT@SECLEVEL=0' }))
  }
  assert.equal((await get('/healthz', { maxVersion: 'TLSv1.2' })).status, 200)
})

test('gRPC is served over TLS', async () => {
  const session = http2.connect(`https://localhost:${grpcPort()}`, { ca })
  const message = encodeTraces([{ resource: {}, scopes: [{ spans: [chatSpan('over TLS')] }] }])
  const answer = await grpcCall(session, TRACES, { parts: [framed(message)] })
  assert.equal(answer.status, 0)
  session.close()
})

test('a changed certificate is taken over while connections stay open, a broken one is not', async () => {
  const open = tls.connect({ host: 'localhost', port, ca })
  await once(open, 'secureConnect')
  const first = await shownFingerprint(port)
  const isReported = () => service.logLines.some((line) => line.includes('cannot be used; the old one stays'))
  install({ cert: SELF_SIGNED_NEXT.cert, key: SELF_SIGNED.key })
  await eventually(async () => isReported(), 'the broken pair is reported')
  assert.equal(await shownFingerprint(port), first)

  install(SELF_SIGNED_NEXT)
  await eventually(async () => (await shownFingerprint(port)) !== first, 'the next certificate is shown')
  assert.equal(await shownFingerprint(grpcPort(), ['h2']), await shownFingerprint(port))
  open.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  let text = ''
  for await (const part of open.setEncoding('utf8')) text += part
  assert.match(text, /^HTTP\/1.1 200 /)
})

test('clients need a certificate where their authority is named', async () => {
  const guarded = await startRestingService({ ...TLS, ASSAY_TLS_CLIENT_CA_FILE: certFile })
  const at = { port: Number(new URL(guarded.url).port) }
  await assert.rejects(get('/healthz', at))
  assert.equal((await get('/healthz', { ...at, ...SELF_SIGNED_NEXT })).status, 200)
})

test('files that are not there, and half a pair, never start', async () => {
  await assert.rejects(
    startRestingService({ ...TLS, ASSAY_TLS_CERT_FILE: path.join(directory, 'missing.crt') }),
    /missing\.crt/,
  )
  await assert.rejects(startRestingService({ ASSAY_TLS_CERT_FILE: certFile }), /ASSAY_TLS_KEY_FILE/)
  await assert.rejects(
    startRestingService({ ...TLS, ASSAY_TLS_KEY_FILE: certFile }),
    /certificate and its key/,
  )
})

function grpcPort(): number {
  return Number(service.grpcAddress?.split(':').at(-1))
}
