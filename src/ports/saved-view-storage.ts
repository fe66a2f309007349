import type { SavedView, ViewDefinition, ViewedList } from '../domain/saved-view.ts'
import type { ProjectTenant } from '../domain/tenant.ts'

/** Saved views of a project. A view that becomes the default of its list takes the place of the one before. */
export interface SavedViewStorage {
  /** `exists` when the project has a view of that name, `full` when it has `viewsMax` of them. */
  createSavedView(
    tenant: ProjectTenant,
    view: SavedView,
    viewsMax: number,
  ): Promise<'created' | 'exists' | 'full'>
  /** In order of creation, behind the view `afterId`. */
  listSavedViews(
    tenant: ProjectTenant,
    filter: { readonly list?: ViewedList },
    range: { readonly afterId?: string; readonly limit: number },
  ): Promise<SavedView[]>
  /** Replaces everything but its id; `exists` when another view has the name, undefined when there is no such view. */
  replaceSavedView(
    tenant: ProjectTenant,
    id: string,
    definition: ViewDefinition,
    atMs: number,
  ): Promise<SavedView | 'exists' | undefined>
  /** False when there was none. */
  deleteSavedView(tenant: ProjectTenant, id: string): Promise<boolean>
}
