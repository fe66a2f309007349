import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../domain/errors.ts'
import { type StaticFile, sendStaticFile } from '../static-file.ts'
import { DashboardFiles, dashboardFile, INDEX } from './dashboard-files.ts'

/** The first part of every address that the page shows something at; what comes below is the page's own business. */
const PAGES = ['inbox', 'setups', 'monitors', 'evaluations', 'traces', 'sessions', 'evaluators', 'settings']
const ASSETS = 'assets'

const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  // Writing to the clipboard is left alone: the page copies keys and commands when the user clicks on them.
  'permissions-policy':
    'accelerometer=(), autoplay=(), browsing-topics=(), camera=(), clipboard-read=(), display-capture=(), ' +
    'encrypted-media=(), fullscreen=(), geolocation=(), gyroscope=(), hid=(), idle-detection=(), magnetometer=(), ' +
    'microphone=(), midi=(), payment=(), picture-in-picture=(), publickey-credentials-get=(), screen-wake-lock=(), ' +
    'serial=(), usb=(), web-share=(), xr-spatial-tracking=()',
}

const NOT_BUILT = dashboardFile(
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

/**
 * Whether a person has come to an address that leads nowhere: a browser asks for a page, and the address is not one of the
 * interface or of a file.
 */
export function isLostBrowser({ method, url, headers }: FastifyRequest): boolean {
  const [, first = ''] = (url.split('?', 1)[0] ?? '').split('/')
  const isPath = first !== '' && first !== ASSETS && !/^v\d+$/.test(first)
  return isPath && (method === 'GET' || method === 'HEAD') && /\btext\/html\b/.test(headers.accept ?? '')
}

/** Sends the page to a browser that asks for an address that leads nowhere. */
export type SendNotFoundPage = (reply: FastifyReply) => Promise<FastifyReply>

/**
 * Serves the page at its addresses and its files below /assets, to anybody: what they show is asked for with a key. Gives what
 * sends the page with the status 404.
 */
export function serveDashboard(server: FastifyInstance, dir: string): SendNotFoundPage {
  const files = new DashboardFiles(dir)
  const readPage = async () => (await files.read())?.get(INDEX) ?? NOT_BUILT
  const sendPage = async (request: FastifyRequest, reply: FastifyReply) =>
    sendFile(request, reply, await readPage())
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
  return async (reply) => {
    const { contentType, bytes } = await readPage()
    reply.headers({ ...SECURITY_HEADERS, 'cache-control': 'no-store' })
    return reply.code(404).type(contentType).send(bytes)
  }
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile): Promise<FastifyReply> {
  reply.headers(SECURITY_HEADERS)
  return sendStaticFile(request, reply, file)
}
