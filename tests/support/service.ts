import { after } from 'node:test'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { Logger } from '../../src/ports/logger.ts'
import { temporaryDirectory } from './temporary-directory.ts'

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

/** A running service over real HTTP on a free port, with a store of its own. */
export interface TestService {
  readonly url: string
  readonly dataDir: string
  readonly logLines: string[]
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  close(): Promise<void>
}

/** Starts a service in this process; it ends with the test file. Answers are checked against their schemas. */
export async function startService(env: Record<string, string> = {}): Promise<TestService> {
  const dataDir = env['ASSAY_DATA_DIR'] ?? temporaryDirectory()
  const { config } = readConfig({ PORT: '0', ASSAY_API_KEY: FIRST_KEY, ...env, ASSAY_DATA_DIR: dataDir })
  const logLines: string[] = []
  const app = await createApp(config, recordingLogger(logLines), { checkAnswers: true })
  const url = await app.listen()
  let closed: Promise<void> | undefined
  const close = () => (closed ??= app.close())
  after(close)
  return { url, dataDir, logLines, close, call: (method, path, options) => call(url, method, path, options) }
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

/** A logger that keeps its lines, so that a test can look for what must or must not be in them. */
export function recordingLogger(lines: string[]): Logger {
  const record = (level: string) => (fields: object, message: string) => {
    lines.push(`${level} ${message} ${JSON.stringify(fields, errorAsText)}`)
  }
  return { debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') }
}

function errorAsText(_key: string, value: unknown): unknown {
  return value instanceof Error ? `${value.stack}` : value
}
