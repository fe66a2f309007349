import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'

const root = path.resolve(import.meta.dirname, '../../testdata/clients')
/** Recordings are published, and say nothing about the machine that they were made on. */
const PRIVATE_TEXTS = [path.resolve(root, '../../..'), os.homedir()].filter((text) => text !== '/')

/** One request as a client sent it. */
export interface RecordedRequest {
  readonly path: string
  readonly contentType: string
  /** The body without any compression of the transport. */
  readonly body: Buffer
}

/** A call that sends no spans or logs, and its answer. */
export interface AnsweredCall {
  readonly method: string
  readonly path: string
  /** The JSON that was sent; null where there was none. */
  readonly body: unknown
  readonly status: number
  readonly answer: unknown
}

/** Everything that a client sent in one run. */
export interface Recording {
  /** The packages that sent it, with their versions. */
  readonly packages: Readonly<Record<string, string>>
  readonly recordedAt: string
  readonly requests: readonly RecordedRequest[]
  readonly calls: readonly AnsweredCall[]
}

/** Whether a client has been recorded. */
export function isRecorded(id: string): boolean {
  return existsSync(fileOf(id))
}

/** Reads the recording of a client. */
export function readRecording(id: string): Recording {
  const { requests, ...rest } = JSON.parse(readFileSync(fileOf(id), 'utf8'))
  return {
    // Most clients make none, and their recordings say nothing of it.
    calls: [],
    ...rest,
    requests: requests.map(({ body, ...request }: RecordedRequest & { body: string }) => ({
      ...request,
      body: gunzipSync(Buffer.from(body, 'base64')),
    })),
  }
}

/** Writes the recording of a client; bodies are compressed, since most of a body is names of attributes. */
export function writeRecording(id: string, { requests, calls, ...rest }: Recording): void {
  const bodies = [...requests.map(({ body }) => body), JSON.stringify(calls)]
  if (bodies.some((body) => PRIVATE_TEXTS.some((text) => body.includes(text))))
    throw new Error(`${id} sends a path or the name of this machine`)
  const written = requests.map(({ body, ...request }) => ({
    ...request,
    body: gzipSync(body, { level: 9 }).toString('base64'),
  }))
  writeFileSync(
    fileOf(id),
    `${JSON.stringify({ ...rest, requests: written, ...(calls.length > 0 && { calls }) }, null, 2)}\n`,
  )
}

/** How many spans were sent, counted without the code that is being tested. */
export function countSpans(requests: readonly RecordedRequest[]): number {
  return requests
    .filter(({ path: to }) => to.endsWith('/v1/traces') || to.endsWith('TraceService/Export'))
    .reduce(
      (sum, { body, contentType }) => sum + (contentType.includes('json') ? inJson(body) : inProto(body)),
      0,
    )
}

interface Listed {
  readonly resourceSpans?: readonly {
    readonly scopeSpans?: readonly { readonly spans?: readonly unknown[] }[]
  }[]
}

function inJson(body: Buffer): number {
  const { resourceSpans = [] } = JSON.parse(body.toString('utf8')) as Listed
  return resourceSpans
    .flatMap(({ scopeSpans = [] }) => scopeSpans)
    .reduce((sum, { spans = [] }) => sum + spans.length, 0)
}

/** ExportTraceServiceRequest.resource_spans (1), ResourceSpans.scope_spans (2), ScopeSpans.spans (2). */
function inProto(body: Buffer): number {
  return submessages(body, 1)
    .flatMap((resource) => submessages(resource, 2))
    .reduce((sum, scope) => sum + submessages(scope, 2).length, 0)
}

function submessages(bytes: Buffer, wanted: number): Buffer[] {
  const found: Buffer[] = []
  let at = 0
  const varint = () => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const tag = varint()
    const wireType = tag & 7
    if (wireType === 0) varint()
    else if (wireType === 1) at += 8
    else if (wireType === 5) at += 4
    else {
      const length = varint()
      if (tag >>> 3 === wanted) found.push(bytes.subarray(at, at + length))
      at += length
    }
  }
  return found
}

function fileOf(id: string): string {
  return path.join(root, `${id}.json`)
}
