import type * as z from 'zod'
import type { DryRuns } from '../control/dry-run/dry-run.ts'
import type { ProviderKeyVault } from '../control/provider-keys.ts'
import type { ControlDeps } from '../control/setups.ts'
import type { Suggestions } from '../control/suggest/suggestions.ts'
import type { ModelPrices } from '../domain/model-prices.ts'
import type { KeyPermission, Principal } from '../domain/tenant.ts'
import type { ExecuteEvaluation } from '../pipeline/execute/execute-evaluation.ts'
import type { Executions } from '../pipeline/execute/executions.ts'
import type { Trials } from '../pipeline/execute/run-trial.ts'
import type { TryEvaluation } from '../pipeline/execute/try-evaluation.ts'
import type { Ingest } from '../pipeline/ingest/ingest.ts'
import type { JudgeSettings } from '../ports/judge.ts'
import type { Logger } from '../ports/logger.ts'
import type { AboutService } from './about-service.ts'
import type { PrincipalSource } from './auth.ts'
import type { RequestLimits } from './limits/request-limits.ts'
import type { Metrics } from './metrics.ts'
import type { MetricsAccess } from './metrics-access.ts'
import type { OtlpBody } from './otlp/otlp-body.ts'
import type { Reference } from './reference.ts'

/** The dependencies of handlers. */
export interface RouteDeps extends ControlDeps {
  readonly logger: Logger
  readonly metrics: Metrics
  /** Absent: anybody may read the metrics. */
  readonly metricsAccess?: MetricsAccess
  readonly execute: ExecuteEvaluation
  readonly trials: Trials
  readonly tryEvaluation: TryEvaluation
  readonly executions: Executions
  readonly vault: ProviderKeyVault
  readonly testModel: JudgeSettings['testModel']
  readonly ingest: Ingest
  /** Limits that requests pass after authentication; absent: none. */
  readonly requestLimits?: RequestLimits
  /** The callers that may send spans, where the store is not asked each time. */
  readonly senders?: PrincipalSource
  /** Rejects with the reason when the process should be sent no requests. */
  readonly checkReadiness: () => Promise<void>
  /** The prices of models. */
  readonly prices: ModelPrices
  readonly dryRuns: DryRuns
  readonly suggestions: Suggestions
  readonly about: AboutService
  /** The description of the whole interface. */
  readonly reference: Reference
}

/** The callers that may use a route: anybody, or a key with that permission, or with any of those. */
export type Access = 'public' | KeyPermission | readonly KeyPermission[]

/** The scopes that open a route; none for a public one. */
export function permissionsOf(access: Access): readonly KeyPermission[] {
  if (access === 'public') return []
  return typeof access === 'string' ? [access] : access
}

/** A request after everything about it was checked. */
export interface RouteRequest<Who extends Access, Params, Query, Body> {
  readonly principal: Who extends 'public' ? undefined : Principal
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Aborts when the client has gone away. */
  readonly signal: AbortSignal
  /** Where the caller reaches this service, for example `https://assay.example`. */
  readonly origin: () => string
  /** Sets a header of the answer. */
  readonly setHeader: (name: string, value: string) => void
}

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/**
 * The form in which a handler gets the body: the value that the schema has checked, or the bare object or even the bytes;
 * with these the schema only documents, and the handler does the checking. `otlp` are bytes that may be protobuf or JSON,
 * in a route whose errors are told the way OTLP wants them.
 */
export type BodyForm = 'checked' | 'object' | 'bytes' | 'otlp'

type BodyIn<Form extends BodyForm, Schema> = Form extends 'bytes'
  ? Uint8Array
  : Form extends 'otlp'
    ? OtlpBody
    : Form extends 'object'
      ? Record<string, unknown>
      : Output<Schema>

/** One operation of the HTTP interface, said once: routing, access, validation and OpenAPI all come from this. */
export interface RouteDefinition<
  Who extends Access,
  Params extends z.ZodObject | undefined,
  Query extends z.ZodObject | undefined,
  Body extends z.ZodType | undefined,
  Form extends BodyForm,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** As in OpenAPI, with parameters in braces: `/v2/auto-monitor-setups/{external_id}`. */
  readonly path: `/${string}`
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access: Who
  readonly params?: Params
  readonly query?: Query
  /** A body is required wherever there is a schema for it. */
  readonly body?: Body
  /** Absent: checked. */
  readonly bodyAs?: Form
  /** Its body brings spans, which have limits of their own. */
  readonly bringsSpans?: true
  readonly success: {
    readonly status: 200 | 201 | 202 | 204
    readonly description: string
    readonly schema?: z.ZodType
    /** For answers that are not JSON; more than one where it depends on the request. */
    readonly contentType?: string | readonly string[]
    readonly headers?: Readonly<Record<string, string>>
  }
  /** Decides who may call a public route where that is a setting; throws to refuse. */
  readonly admit?: (authorization: string | undefined, deps: RouteDeps) => Promise<void>
  /** Statuses of its own; those that every route shares are added where they apply. */
  readonly errors?: Readonly<Record<number, string>>
  readonly handle: (
    request: RouteRequest<Who, Output<Params>, Output<Query>, BodyIn<Form, Body>>,
    deps: RouteDeps,
  ) => Promise<unknown>
}

/** An answer that is JSON text already, for those that would be too large to be written in one piece. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** An answer that is bytes already, in an encoding that depends on the request. */
export class EncodedAnswer {
  readonly contentType: string
  readonly bytes: Buffer

  constructor(contentType: string, bytes: Buffer) {
    this.contentType = contentType
    this.bytes = bytes
  }
}

/** An answer that is made while it is sent, no faster than the client reads; compressed if the client asks for it. */
export class StreamedAnswer {
  readonly contentType: string
  readonly chunks: AsyncIterable<string>
  /** Someone waits for each piece, which compression would hold back. */
  readonly isLive: boolean

  constructor(contentType: string, chunks: AsyncIterable<string>, { isLive = false } = {}) {
    this.contentType = contentType
    this.chunks = chunks
    this.isLive = isLive
  }
}

/** Checks a route's types against each other; returns it as it is. */
export function defineRoute<
  Who extends Access,
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  Form extends BodyForm = 'checked',
>(definition: RouteDefinition<Who, Params, Query, Body, Form>): AnyRoute {
  return definition as unknown as AnyRoute
}

/** Any route, where its own types do not matter. */
// biome-ignore lint/suspicious/noExplicitAny: the schemas of one route belong together but differ between routes.
export type AnyRoute = RouteDefinition<Access, any, any, any, BodyForm>
