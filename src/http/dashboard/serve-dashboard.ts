import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../domain/errors.ts'
import { type ContentCoding, takesCoding } from '../accept-encoding.ts'
import { DashboardFile, DashboardFiles, INDEX } from './dashboard-files.ts'

/** The first part of every address that the page shows something at; what comes below is the page's own business. */
const PAGES = ['setups', 'monitors', 'evaluations', 'traces', 'sessions', 'evaluators', 'settings']
const ASSETS = 'assets'

const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  // Writing to the clipboard is left alone: the page copies keys and commands when somebody clicks on them.
  'permissions-policy':
    'accelerometer=(), autoplay=(), browsing-topics=(), camera=(), clipboard-read=(), display-capture=(), ' +
    'encrypted-media=(), fullscreen=(), geolocation=(), gyroscope=(), hid=(), idle-detection=(), magnetometer=(), ' +
    'microphone=(), midi=(), payment=(), picture-in-picture=(), publickey-credentials-get=(), screen-wake-lock=(), ' +
    'serial=(), usb=(), web-share=(), xr-spatial-tracking=()',
}

const NOT_BUILT = new DashboardFile(
  INDEX,
  Buffer.from(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Assay</title></head>
<body>
<h1>Assay</h1>
<p>The service works. Its dashboard has not been built: run <code>npm ci</code> and <code>npm run build</code>
in the folder <code>dashboard</code>, then load this page again. <code>npm start</code> does both by itself.</p>
<p><a href="/docs">The interface</a> works without it.</p>
</body>
</html>
`),
)

/** Whether GET at this address is answered with the page or one of its files. */
export function isDashboardAddress(url: string): boolean {
  const [, first = '', second] = (url.split('?', 1)[0] ?? '').split('/')
  if (first === '') return second === undefined
  return PAGES.includes(first) || (first === ASSETS && second !== undefined)
}

/** Serves the page at its addresses and its files below /assets, to anybody: what they show is asked for with a key. */
export function serveDashboard(server: FastifyInstance, dir: string): void {
  const files = new DashboardFiles(dir)
  const sendPage = async (request: FastifyRequest, reply: FastifyReply) =>
    sendFile(request, reply, (await files.read())?.get(INDEX) ?? NOT_BUILT)
  server.get('/', sendPage)
  for (const page of PAGES) {
    server.get(`/${page}`, sendPage)
    server.get(`/${page}/*`, sendPage)
  }
  server.get<{ Params: { '*': string } }>(`/${ASSETS}/*`, async (request, reply) => {
    const file = (await files.read())?.get(`${ASSETS}/${request.params['*']}`)
    if (!file) throw notFound('no such route')
    return sendFile(request, reply, file)
  })
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: DashboardFile,
): Promise<FastifyReply> {
  const coding = file.isCompressible ? chosenCoding(request) : undefined
  const etag = `"${file.hash}${coding === undefined ? '' : `-${coding}`}"`
  reply.headers({
    ...SECURITY_HEADERS,
    etag,
    'cache-control': file.hasHashedName ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...(file.isCompressible ? { vary: 'accept-encoding' } : {}),
  })
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (coding !== undefined) reply.header('content-encoding', coding)
  return reply.type(file.contentType).send(coding ? await file.compressed(coding) : file.bytes)
}

function chosenCoding({ headers }: FastifyRequest): ContentCoding | undefined {
  const codings: readonly ContentCoding[] = ['br', 'gzip']
  return codings.find((coding) => takesCoding(headers['accept-encoding'], coding))
}

/** Compared weakly, as If-None-Match wants it: a proxy that changes the encoding marks a tag as weak. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
