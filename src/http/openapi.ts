import * as z from 'zod'
import { slugFromName } from '../domain/slug.ts'
import type { Json, OpenApiDocument, OpenApiOperation } from './openapi-document.ts'
import { CONTENT_TYPES } from './otlp/otlp-answers.ts'
import { type AnyRoute, permissionsOf } from './route.ts'

const ERROR_SCHEMA = z.object({ error: z.string() }).meta({ id: 'Error' })
const STATUS_SCHEMA = z
  .object({
    code: z.int().describe('A code of gRPC.'),
    message: z.string(),
    error: z.string().describe('The same as `message`.'),
  })
  .describe('A google.rpc.Status.')
  .meta({ id: 'Status' })

/** Builds the document from the routes themselves, so that it cannot say anything else than what they do. */
export function buildOpenApi(routes: readonly AnyRoute[]): OpenApiDocument {
  const components: Record<string, Json> = {}
  const responses: Record<string, Json> = {}
  const paths: Record<string, Record<string, OpenApiOperation>> = {}
  for (const route of routes) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: describeRoute(route, components, responses),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Assay API',
      version: '1.0.0',
      description: 'Monitors and evaluates the output of applications that call language models.',
    },
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: inOrder(components),
      responses: inOrder(responses),
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key.' } },
    },
  }
}

function inOrder(parts: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function describeRoute(
  route: AnyRoute,
  components: Record<string, Json>,
  responses: Record<string, Json>,
): OpenApiOperation {
  const parameters = [
    ...describeParameters('path', route.params, components),
    ...describeParameters('query', route.query, components),
  ]
  const scopes = permissionsOf(route.access).map((scope) => `\`${scope}\``)
  const access = scopes.length > 0 && `Needs a key with the scope ${scopes.join(' or ')}.`
  const description = [route.description, access].filter(Boolean).join(' ')
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(description ? { description } : {}),
    security: route.access === 'public' ? [] : [{ apiKey: [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body
      ? { requestBody: { required: true, content: contentOf(route, route.body, 'input', components) } }
      : {}),
    responses: describeResponses(route, components, responses),
  }
}

function describeParameters(
  place: 'path' | 'query',
  schema: z.ZodObject | undefined,
  components: Record<string, Json>,
): Json[] {
  const object = schema ? toJsonSchema(schema, 'input', components) : {}
  const required = (object['required'] ?? []) as string[]
  return Object.entries((object['properties'] ?? {}) as Record<string, Json>).map(([name, property]) => {
    const { description, ...rest } = property
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description ? { description } : {}),
      schema: rest,
    }
  })
}

const STORE_AWAY =
  'The store takes nothing at the moment; the message says why, Retry-After when to try again.'

/** Errors become components, named after what they say: hundreds of operations share a few dozen of them. */
function describeResponses(
  route: AnyRoute,
  components: Record<string, Json>,
  shared: Record<string, Json>,
): Record<string, Json> {
  const { success } = route
  const content = success.contentType
    ? Object.fromEntries([success.contentType].flat().map((type) => [type.replace(/;.*/, ''), {}]))
    : success.schema && contentOf(route, success.schema, 'output', components)
  const errorSchema = route.bodyAs === 'otlp' ? STATUS_SCHEMA : ERROR_SCHEMA
  const errors: Record<number, string> = {
    ...(route.body || route.query || route.params
      ? { 400: 'Invalid input; the message names the field.' }
      : {}),
    ...(route.access === 'public'
      ? {}
      : {
          401: 'No valid API key.',
          403: 'The key lacks the scope; the message names it.',
          429: 'The key has sent more than it may, or too many requests from this address had no valid key; `Retry-After` says when to try again.',
          503: STORE_AWAY,
        }),
    ...(route.body ? { 413: 'The body is too large.' } : {}),
    ...route.errors,
    500: 'Internal error; the cause is only in the log.',
  }
  return {
    [success.status]: {
      description: success.description,
      ...(success.headers ? { headers: describeHeaders(success.headers) } : {}),
      ...(content ? { content } : {}),
    },
    ...Object.fromEntries(
      Object.entries(errors).map(([status, description]) => {
        const name = `${route.bodyAs === 'otlp' ? 'otlp-' : ''}${status}-${slugFromName(description)}`
        if (shared[name] && shared[name]['description'] !== description)
          throw new Error(`two errors would be called ${name}; word one of them differently`)
        shared[name] = { description, content: contentOf(route, errorSchema, 'output', components) }
        return [status, { $ref: `#/components/responses/${name}` }]
      }),
    ),
  }
}

function describeHeaders(headers: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  )
}

/** OTLP has each message also in protobuf, whose definition is public and not repeated here. */
function contentOf(
  { bodyAs }: AnyRoute,
  schema: z.ZodType,
  io: 'input' | 'output',
  components: Record<string, Json>,
): Json {
  return {
    'application/json': { schema: toJsonSchema(schema, io, components) },
    ...(bodyAs === 'otlp' ? { [CONTENT_TYPES.protobuf]: {} } : {}),
  }
}

/**
 * A schema as JSON Schema. Those with an id of their own become components and are referred to. Objects stay open:
 * unknown input is ignored, and answers may grow.
 */
function toJsonSchema(schema: z.ZodType, io: 'input' | 'output', components: Record<string, Json>): Json {
  const {
    $schema: _dialect,
    $defs,
    ...root
  } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      delete jsonSchema.id
    },
  }) as Json & { $defs?: Record<string, Json> }
  for (const [id, definition] of Object.entries($defs ?? {})) components[id] = withComponentRefs(definition)
  return withComponentRefs(root)
}

function withComponentRefs(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'))
}
