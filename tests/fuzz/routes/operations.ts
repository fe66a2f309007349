import { buildOpenApi } from '../../../src/http/openapi.ts'
import type { Json } from '../../../src/http/openapi-document.ts'
import type { AnyRoute } from '../../../src/http/route.ts'
import { ROUTES } from '../../../src/http/routes.ts'

/** A parameter in the path or the query of an operation. */
export interface OperationParameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: Json
}

/** One operation as the published description has it, and the route that it describes. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly OperationParameter[]
  readonly bodySchema: Json | undefined
  /** The statuses that it is said to answer with. */
  readonly statuses: ReadonlySet<number>
  readonly route: AnyRoute
}

/** The published description of the interface. */
export const DOCUMENT = buildOpenApi(ROUTES)

/** Every operation of the interface. */
export const OPERATIONS: readonly Operation[] = ROUTES.map((route) => {
  const operation = DOCUMENT.paths[route.path]?.[route.method.toLowerCase()]
  if (!operation) throw new Error(`${route.method} ${route.path} is not described`)
  const content = (operation.requestBody?.['content'] ?? {}) as Record<string, { schema?: Json }>
  return {
    method: route.method,
    path: route.path,
    parameters: (operation.parameters ?? []) as unknown as OperationParameter[],
    bodySchema: content['application/json']?.schema,
    statuses: new Set(Object.keys(operation.responses).map(Number)),
    route,
  }
})

/** The operation that an address leads to, as the router decides it: fixed segments win over parameters. */
export function findOperation(method: string, url: string): Operation | undefined {
  const parts = (url.split(/[?#]/, 1)[0] ?? '').split('/')
  const asked = method === 'HEAD' ? 'GET' : method
  const fitting = OPERATIONS.filter(
    (operation) => operation.method === asked && fits(operation.path.split('/'), parts),
  )
  return fitting.toSorted((a, b) => parametersIn(a) - parametersIn(b))[0]
}

function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  return (
    pattern.length === parts.length &&
    // A parameter may be empty: `/v2/sessions/` leads to the session without a name.
    pattern.every((piece, at) => piece.startsWith('{') || piece === parts[at])
  )
}

function parametersIn({ path }: Operation): number {
  return path.split('{').length
}
