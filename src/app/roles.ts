import type { Role } from '../config/store-settings.ts'
import type { AnyRoute } from '../http/route.ts'
import { ROUTES } from '../http/routes.ts'

/** The work of a process in one role. */
export interface RoleParts {
  /** Takes spans in, over HTTP and gRPC. */
  readonly takesSpans: boolean
  /** Evaluates what is stored, and looks after the store. */
  readonly works: boolean
  /** The routes that it serves; every process reports its health. */
  readonly routes: readonly AnyRoute[]
  /** Shows the page that people use the interface with. */
  readonly servesDashboard: boolean
}

/** The work of a process that was started in this role. */
export function partsOf(role: Role): RoleParts {
  const takesSpans = role === 'all' || role === 'ingest'
  const servesRest = role === 'all' || role === 'api'
  const isServed = ({ tag }: AnyRoute) => {
    if (tag === 'Operation') return true
    return tag === 'OpenTelemetry' ? takesSpans : servesRest
  }
  return {
    takesSpans,
    works: role === 'all' || role === 'worker',
    routes: ROUTES.filter(isServed),
    servesDashboard: servesRest,
  }
}
