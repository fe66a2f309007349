import createClient, { type Middleware } from 'openapi-fetch'
import { forgetKey, readKey } from './key.ts'
import type { paths } from './schema.gen.ts'

/** An error answer: the message of the server and its status. */
export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'ApiError'
    this.status = status
  }
}

const withKey: Middleware = {
  onRequest({ request }) {
    const key = readKey()
    if (key !== undefined) request.headers.set('authorization', `Bearer ${key}`)
    return request
  },
  onResponse({ request, response }) {
    // The key of the request, not of now: the user may have just given another one.
    const used = request.headers.get('authorization')
    if (response.status === 401 && used === `Bearer ${readKey()}`) forgetKey()
  },
}

/** The public interface of the service; nothing else is ever called. */
export const api = createClient<paths>({ baseUrl: '' })
api.use(withKey)

interface Answer<Data> {
  readonly data?: Data
  readonly error?: unknown
  readonly response: Response
}

/** The data of a good answer; throws what the server said otherwise. */
export async function ok<Data>(answer: Promise<Answer<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await answer.catch(() => {
    throw new ApiError(0, 'The server cannot be reached. Is it running?')
  })
  if (response.ok) return data as NonNullable<Data>
  const message = (error as { error?: unknown } | undefined)?.error
  throw new ApiError(
    response.status,
    typeof message === 'string' ? message : `The server answered ${response.status}.`,
  )
}

/** The same for an operation that the generated types do not know yet. */
export async function get<Data>(
  path: `/v2/${string}`,
  query: Readonly<Record<string, string | number | undefined>> = {},
): Promise<Data> {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value))
  const headers = { authorization: `Bearer ${readKey() ?? ''}` }
  const response = await fetch(`${path}?${given}`, { headers }).catch(() => {
    throw new ApiError(0, 'The server cannot be reached. Is it running?')
  })
  if (response.status === 401) forgetKey()
  const body = (await response.json().catch(() => undefined)) as Data & { error?: string }
  if (response.ok) return body
  throw new ApiError(response.status, body?.error ?? `The server answered ${response.status}.`)
}
