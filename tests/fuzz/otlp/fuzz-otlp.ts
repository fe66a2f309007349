import { AssertionError } from 'node:assert/strict'
import http2 from 'node:http2'
import { decodeBody } from '../../../src/http/request-body.ts'
import { scanRequest } from '../../../src/lib/otlp/scan-request.ts'
import { PublicError } from '../../../src/lib/public-error.ts'
import { assertAgreement } from '../../otlp/official-agreement.ts'
import { officialResponse } from '../../otlp/official-definitions.ts'
import { call, FIRST_KEY } from '../../support/call.ts'
import { type GrpcAnswer, grpcCall, TRACES } from '../../support/grpc-call.ts'
import type { FuzzKind } from '../fuzz-kind.ts'
import { type FuzzedService, type RawAnswer, startFuzzedService } from '../fuzzed-service.ts'
import { makeOtlpInput, type OtlpInput } from './otlp-input.ts'

const BODY_BYTES_MAX = 16_777_216
/** Most acknowledged spans that are read again; beyond it a random choice of all. */
const READ_AGAIN_MAX = 4_000
/** How long an acknowledged span may take to show. */
const SHOWN_MS_MAX = 120_000
const HTTP_STATUSES = new Set([200, 400, 413, 415, 429, 503])
/** OK, invalid argument, resource exhausted, unimplemented, unavailable. */
const GRPC_STATUSES = new Set([0, 3, 8, 12, 14])
/** The answer that gRPC prescribes to a compressed message without an encoding. */
const GRPC_INTERNAL = /is compressed, but grpc-encoding does not say how/

/** Attacks the decoders of OTLP: in this process against the official definitions, and over HTTP and gRPC. */
export async function openOtlpFuzz(storeEnv: Readonly<Record<string, string>>): Promise<FuzzKind<OtlpInput>> {
  return new OtlpFuzz(await startFuzzedService(storeEnv))
}

class OtlpFuzz implements FuzzKind<OtlpInput> {
  readonly name = 'otlp'
  readonly concurrency = 8
  readonly make = makeOtlpInput
  readonly #service: FuzzedService
  readonly #counts: Record<string, number> = {}
  /** Trace and span id of acknowledged spans. */
  readonly #acknowledged: [string, string][] = []
  #acknowledgedCount = 0
  #session: http2.ClientHttp2Session | undefined

  constructor(service: FuzzedService) {
    this.#service = service
  }

  async attempt(input: OtlpInput): Promise<string | undefined> {
    const body = Buffer.from(input.bodyBase64, 'base64')
    switch (input.way) {
      case 'agree':
        return this.#agree(body)
      case 'scan':
        return this.#scan(body, input.encoding)
      case 'http':
        return this.#sendHttp(input, body)
      default:
        return this.#sendGrpc(input, body)
    }
  }

  *smaller(input: OtlpInput): Iterable<OtlpInput> {
    const body = Buffer.from(input.bodyBase64, 'base64')
    for (let length = body.length >> 1; length > 0; length >>= 1) {
      for (let at = 0; at + length <= body.length && at < 64 * length; at += length) {
        const rest = Buffer.concat([body.subarray(0, at), body.subarray(at + length)])
        yield { ...input, bodyBase64: rest.toString('base64') }
      }
    }
  }

  checkHealth(): Promise<readonly string[]> {
    return this.#service.checkHealth()
  }

  async finish(): Promise<readonly string[]> {
    this.#session?.destroy()
    const traces = Map.groupBy(this.#acknowledged, ([traceId]) => traceId)
    const deadlineMs = Date.now() + SHOWN_MS_MAX
    let missing = 0
    for (const [traceId, spans] of traces) {
      const ids = spans.map(([, spanId]) => spanId)
      let hidden = await this.#hiddenOf(traceId, ids)
      while (hidden.length > 0 && Date.now() < deadlineMs) {
        await new Promise((resolve) => setTimeout(resolve, 50))
        hidden = await this.#hiddenOf(traceId, ids)
      }
      missing += hidden.length
    }
    return missing === 0
      ? []
      : [`${missing} of ${this.#acknowledged.length} acknowledged spans cannot be read`]
  }

  counts(): Record<string, number> {
    return {
      ...this.#counts,
      'spans acknowledged': this.#acknowledgedCount,
      'spans read again': this.#acknowledged.length,
      'peak MiB': Math.round(this.#service.peakRssBytes() / 1_048_576),
    }
  }

  async close(): Promise<void> {
    this.#session?.destroy()
    await this.#service.close()
  }

  #agree(body: Buffer): string | undefined {
    try {
      this.#count(`decoded: ${assertAgreement(body, 'the decoders disagree')}`)
      return undefined
    } catch (error) {
      const [what = ''] = (error as Error).message.split('\n')
      return error instanceof AssertionError ? what : `the scan fails with ${(error as Error).stack}`
    }
  }

  #scan(body: Buffer, encoding: OtlpInput['encoding']): string | undefined {
    try {
      const { spans } = scanRequest(body, encoding)
      for (const view of spans) view.toSpan()
      this.#count('scanned: accepted')
      return isJson(body) || encoding !== 'json' ? undefined : 'the scan accepts what is not JSON'
    } catch (error) {
      this.#count('scanned: refused')
      return error instanceof PublicError ? undefined : `the scan fails with ${(error as Error).stack}`
    }
  }

  async #sendHttp(input: OtlpInput, body: Buffer): Promise<string | undefined> {
    const answer = await this.#service.send({
      method: 'POST',
      path: '/v1/traces',
      headers: {
        authorization: `Bearer ${FIRST_KEY}`,
        'content-type': input.encoding === 'json' ? 'application/json' : 'application/x-protobuf',
        'content-encoding': input.compression,
      },
      body,
    })
    this.#count(`http ${answer?.status ?? 'no answer'}`)
    if (!answer) return '/v1/traces ends the connection without an answer'
    if (!HTTP_STATUSES.has(answer.status))
      return `/v1/traces answers ${answer.status}: ${answer.body.toString().slice(0, 200)}`
    if (answer.status !== 200) return undefined
    const payload = await decodeBody(body, input.compression, BODY_BYTES_MAX)
    return this.#acknowledge(payload, input.encoding, rejectedOf(answer, input.encoding))
  }

  async #sendGrpc(input: OtlpInput, framed: Buffer): Promise<string | undefined> {
    const answer = await grpcCall(this.#grpcSession(), TRACES, {
      headers: { 'grpc-encoding': input.compression },
      parts: [framed],
    }).catch((error: Error) => error)
    if (answer instanceof Error) {
      // A client may not say more than it sends; Node's own ends the stream when the server has answered early.
      this.#count('grpc reset')
      return undefined
    }
    this.#count(`grpc ${answer.status}`)
    const problem = grpcProblem(answer)
    if (problem !== undefined || answer.status !== 0) return problem
    const message = framed.subarray(5)
    const payload = framed[0] === 1 ? await decodeBody(message, input.compression, BODY_BYTES_MAX) : message
    return this.#acknowledge(payload, 'protobuf', rejectedIn(answer.message ?? Buffer.alloc(0)))
  }

  /** Remembers the spans of an acknowledged request, and compares how many were rejected with what was told. */
  #acknowledge(payload: Buffer, encoding: OtlpInput['encoding'], rejected: number): string | undefined {
    const batch = scanRequest(payload, encoding)
    if (batch.rejectedCount !== rejected)
      return `an answer tells ${rejected} rejected spans of ${batch.rejectedCount}`
    for (const view of batch.spans) {
      const { traceId, spanId } = view.toSpan()
      const at = this.#acknowledgedCount++
      if (at < READ_AGAIN_MAX) this.#acknowledged.push([traceId, spanId])
      else if (at % 97 === 0) this.#acknowledged[(at / 97) % READ_AGAIN_MAX] = [traceId, spanId]
    }
    return undefined
  }

  /** Those of a trace's spans that are not shown. */
  async #hiddenOf(traceId: string, spanIds: readonly string[]): Promise<string[]> {
    const { status, json } = await call(this.#service.url, 'GET', `/v2/traces/${traceId}`)
    const shown = new Set(status === 200 ? json.spans.map((span: { span_id: string }) => span.span_id) : [])
    return spanIds.filter((spanId) => !shown.has(spanId))
  }

  #grpcSession(): http2.ClientHttp2Session {
    if (this.#session && !this.#session.closed && !this.#session.destroyed) return this.#session
    this.#session = http2.connect(`http://127.0.0.1:${this.#service.grpcPort}`)
    this.#session.on('error', () => {})
    return this.#session
  }

  #count(outcome: string): void {
    this.#counts[outcome] = (this.#counts[outcome] ?? 0) + 1
  }
}

function grpcProblem({ httpStatus, status, errorMessage }: GrpcAnswer): string | undefined {
  if (httpStatus !== 200) return `gRPC answers with the HTTP status ${httpStatus}`
  if (GRPC_STATUSES.has(status)) return undefined
  if (status === 13 && GRPC_INTERNAL.test(errorMessage ?? '')) return undefined
  return `gRPC answers ${status}: ${errorMessage}`
}

function rejectedOf({ body }: RawAnswer, encoding: OtlpInput['encoding']): number {
  if (encoding === 'protobuf') return rejectedIn(body)
  const { partialSuccess } = JSON.parse(body.toString()) as { partialSuccess?: { rejectedSpans: string } }
  return Number(partialSuccess?.rejectedSpans ?? 0)
}

function rejectedIn(message: Buffer): number {
  const { partialSuccess } = officialResponse.toObject(officialResponse.decode(message), { longs: Number })
  return partialSuccess?.rejectedSpans ?? 0
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString())
    return true
  } catch {
    return false
  }
}
