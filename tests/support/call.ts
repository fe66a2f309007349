/** A key that every test service knows; it belongs to the operator and has every scope. */
export const FIRST_KEY = 'test-key-0123456789abcdef'

/** An answer, read completely. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The JSON of the body; undefined when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly json: any
}

/** How a test calls the service. `body` is sent as JSON unless it is a string or bytes, which are sent as they are. */
export interface CallOptions {
  readonly key?: string | null
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** One request with the first key, unless told otherwise. */
export async function call(
  url: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const { key = FIRST_KEY, body, headers } = options
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined
      ? {}
      : { body: (isRaw ? body : JSON.stringify(body)) as Uint8Array<ArrayBuffer> | string }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    json:
      text !== '' && response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined,
  }
}
