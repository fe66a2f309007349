import { conflict, notFound } from '../domain/errors.ts'
import { SAVED_VIEWS_MAX, type SavedView, type ViewDefinition } from '../domain/saved-view.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import { invalidInput } from '../lib/public-error.ts'
import type { ControlDeps } from './setups.ts'

/** Stores a new view; refuses a name that another view of the project has. */
export async function createSavedView(
  { storage, clock, ids }: ControlDeps,
  tenant: ProjectTenant,
  definition: ViewDefinition,
): Promise<SavedView> {
  const atMs = clock.nowMs()
  const view = { ...definition, id: ids.newId(), createdAtMs: atMs, updatedAtMs: atMs }
  const result = await storage.createSavedView(tenant, view, SAVED_VIEWS_MAX)
  if (result === 'exists') throw nameTaken(definition)
  if (result === 'full')
    throw invalidInput(`the project has ${SAVED_VIEWS_MAX} saved views, which is the most; delete one first`)
  return view
}

/** Replaces a view, or answers with a `not found` error. */
export async function replaceSavedView(
  { storage, clock }: ControlDeps,
  tenant: ProjectTenant,
  id: string,
  definition: ViewDefinition,
): Promise<SavedView> {
  const result = await storage.replaceSavedView(tenant, id, definition, clock.nowMs())
  if (result === 'exists') throw nameTaken(definition)
  return result ?? throwViewNotFound()
}

/** Deletes a view, or answers with a `not found` error. */
export async function deleteSavedView(
  { storage }: ControlDeps,
  tenant: ProjectTenant,
  id: string,
): Promise<void> {
  if (!(await storage.deleteSavedView(tenant, id))) throwViewNotFound()
}

function nameTaken({ name }: ViewDefinition) {
  return conflict(`a saved view named ${name} already exists`)
}

function throwViewNotFound(): never {
  throw notFound('saved view not found')
}
