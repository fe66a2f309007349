/** The lists that a view can be of. */
export const VIEWED_LISTS = ['traces', 'sessions'] as const
export type ViewedList = (typeof VIEWED_LISTS)[number]

/** Most saved views of one project. */
export const SAVED_VIEWS_MAX = 200

/** The filter of a list by the names that its query has; a name that may be repeated has a list of texts. */
export type ViewFilter = Readonly<Record<string, string | readonly string[]>>

/** The part of a saved view that people choose. */
export interface ViewDefinition {
  /** Unique in its project. */
  readonly name: string
  readonly list: ViewedList
  readonly filter: ViewFilter
  /** The columns that the list shows, in their order; none: those that it shows by itself. */
  readonly columns: readonly string[]
  /** The list opens with it. At most one view of a list is its default. */
  readonly isDefault: boolean
}

/** A filter and columns that the people of a project share under a name. */
export interface SavedView extends ViewDefinition {
  readonly id: string
  readonly createdAtMs: number
  readonly updatedAtMs: number
}
