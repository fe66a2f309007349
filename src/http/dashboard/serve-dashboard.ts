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

function sendFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile): Promise<FastifyReply> {
  reply.headers(SECURITY_HEADERS)
  return sendStaticFile(request, reply, file)
}
