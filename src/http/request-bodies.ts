import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { parseInput } from '../evaluators/kit/parse-input.ts'
import { releaseBytes } from '../lib/release-bytes.ts'
import { parseStrictObject } from '../lib/strict-json.ts'
import type { BodyBudget, BodyShare } from './body-budget.ts'
import { otlpEncoding } from './otlp/otlp-body.ts'
import { readBytes } from './read-bytes.ts'
import { decodeBody, requireJson } from './request-body.ts'
import type { AnyRoute } from './route.ts'

/** Reads the bodies of requests, within the memory that there is for all of them. */
export class RequestBodies {
  readonly #budget: BodyBudget
  readonly #shares = new WeakMap<FastifyRequest, BodyShare>()

  constructor(budget: BodyBudget) {
    this.#budget = budget
  }

  /** Lets bodies arrive as bytes whatever their type; what they may be is decided per route, after authentication. */
  acceptAnyType(server: FastifyInstance): void {
    server.removeAllContentTypeParsers()
    server.addContentTypeParser('*', (request: FastifyRequest, body: Readable) => {
      const { headers, routeOptions } = request
      return readBytes(body, headers['content-length'], routeOptions.bodyLimit, (bytes) =>
        this.#shares.get(request)?.take(bytes),
      )
    })
  }

  /** Takes the announced length of a body from the tenant's share until the request is answered; refuses it when there is no room. */
  reserve(request: FastifyRequest, reply: FastifyReply, tenant: string): void {
    const { 'content-length': length, 'transfer-encoding': transfer } = request.headers
    if (length === undefined && transfer === undefined) return
    const share = this.#budget.open(tenant)
    this.#shares.set(request, share)
    reply.raw.once('close', () => share.release())
    // One that is too large for its route is not read at all.
    const announced = Number(length ?? 0)
    if (announced <= request.routeOptions.bodyLimit) share.take(announced)
  }

  /** The body in the form that the route wants, decompressed and checked. */
  async read(request: FastifyRequest, route: AnyRoute, bytesMax: number): Promise<unknown> {
    const { 'content-type': contentType } = request.headers
    const bytes = await this.#decode(request, bytesMax)
    if (route.bodyAs === 'otlp') return { bytes, encoding: otlpEncoding(contentType) }
    requireJson(bytes, contentType)
    if (route.bodyAs === 'bytes') return bytes
    const body = parseStrictObject(bytes)
    return route.bodyAs === 'object' ? body : parseInput(route.body, body)
  }

  async #decode(request: FastifyRequest, bytesMax: number): Promise<Buffer> {
    const received = (request.body as Buffer | undefined) ?? Buffer.alloc(0)
    const receivedLength = received.length
    const share = this.#shares.get(request)
    const bytes = await decodeBody(received, request.headers['content-encoding'], bytesMax, (count) =>
      share?.take(count),
    )
    if (bytes !== received && receivedLength > 0) {
      releaseBytes(received)
      share?.give(receivedLength)
    }
    return bytes
  }
}
