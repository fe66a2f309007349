import { forbidden, notFound } from '../domain/errors.ts'
import type { Principal, ProjectTenant } from '../domain/tenant.ts'

/**
 * How far an admin key reaches. Keys of the default project administer the whole organization; keys of any other project
 * administer that project alone, and for them the other projects of the organization do not exist.
 */
export function administersProject(principal: Principal, projectId: string): boolean {
  return principal.administersOrganization || principal.projectId === projectId
}

/** The project that an admin key names, if it administers it; to all others it says what an unknown project says. */
export function administeredProject(principal: Principal, projectId: string): ProjectTenant {
  if (!administersProject(principal, projectId)) throw notFound('project not found')
  return { orgId: principal.orgId, projectId }
}

/** Refuses keys that do not administer the organization, for what belongs to all of its projects. */
export function requireOrganizationAdmin(principal: Principal): void {
  if (principal.administersOrganization) return
  throw forbidden(
    'forbidden: this belongs to the whole organization; use an admin key of its default project',
  )
}

/** Refuses keys that do not administer the operator's organization; `doing` says what the others may not do. */
export function requireOperator(principal: Principal, doing: string): void {
  if (!principal.isOperator) throw forbidden(`forbidden: only the operator of this installation ${doing}`)
  requireOrganizationAdmin(principal)
}
