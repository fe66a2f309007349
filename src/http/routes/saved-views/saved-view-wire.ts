import * as z from 'zod'
import { type SavedView, VIEWED_LISTS, type ViewDefinition } from '../../../domain/saved-view.ts'
import { boundedText, requiredName } from '../../wire/text-schemas.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'
import { tracesQuery } from '../traces/traces-query.ts'

const NAME_CHARS_MAX = 100
const COLUMNS_MAX = 30
const COLUMN_CHARS_MAX = 64
const FILTER_KEYS_MAX = 60
const VALUES_MAX = 100
/** Most characters of a whole filter, as JSON. */
const FILTER_CHARS_MAX = 16_384
/** Parameters that choose a page and not what is in the list. */
const PAGE_KEYS = ['limit', 'cursor', 'include']

/** A filter is a query of its list, without the parameters that choose a page. */
const viewFilter = z
  .record(z.string(), z.union([boundedText(), z.array(boundedText()).max(VALUES_MAX)]))
  .superRefine((filter, context) => {
    const fail = (message: string, path: PropertyKey[] = []) =>
      context.addIssue({ code: 'custom', path, message })
    const keys = Object.keys(filter)
    if (keys.length > FILTER_KEYS_MAX) fail(`must have at most ${FILTER_KEYS_MAX} parameters`)
    if (JSON.stringify(filter).length > FILTER_CHARS_MAX)
      fail(`must be at most ${FILTER_CHARS_MAX} characters as JSON`)
    for (const key of keys.filter((name) => PAGE_KEYS.includes(name))) fail('is no filter', [key])
  })

/** The body that creates or replaces a view. */
export const savedViewInput = z
  .object({
    name: requiredName(NAME_CHARS_MAX).describe('Unique in the project.'),
    list: z.enum(VIEWED_LISTS).optional().describe('The list that it is a view of; `traces` when absent.'),
    filter: viewFilter
      .optional()
      .describe(
        'The query of the list by its parameters, as texts, or lists of texts for those that may be repeated. `range`, such as ' +
          '`24h`, is a time range that ends now, for the dashboard.',
      ),
    columns: z
      .array(requiredName(COLUMN_CHARS_MAX))
      .max(COLUMNS_MAX)
      .optional()
      .describe('The columns to show, in their order; absent: those that the list shows by itself.'),
    is_default: z
      .boolean()
      .optional()
      .describe('The dashboard opens the list with it. At most one view of a list is its default.'),
  })
  .superRefine(({ list = 'traces', filter = {} }, context) => {
    if (list !== 'traces') return
    for (const issue of tracesQuery.safeParse(filter).error?.issues ?? [])
      context.addIssue({ ...issue, path: ['filter', ...issue.path] } as never)
  })
  .meta({ id: 'SavedViewInput' })

/** A view in the form of the wire. */
export const savedViewOutput = z
  .object({
    id: z.string(),
    name: z.string(),
    list: z.enum(VIEWED_LISTS),
    filter: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    columns: z.array(z.string()).describe('Empty: those that the list shows by itself.'),
    is_default: z.boolean(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'SavedView' })

/** Path of one view. */
export const savedViewParams = z.object({ id: z.string().describe('Id of the saved view.') })

/** The definition that a body stands for. */
export function toDefinition(body: z.output<typeof savedViewInput>): ViewDefinition {
  const { name, list = 'traces', filter = {}, columns = [], is_default: isDefault = false } = body
  return { name, list, filter, columns, isDefault }
}

/** A view as it is answered. */
export function toWireView(view: SavedView): z.output<typeof savedViewOutput> {
  return {
    ...{ id: view.id, name: view.name, list: view.list },
    filter: Object.fromEntries(
      Object.entries(view.filter).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : [...value],
      ]),
    ),
    columns: [...view.columns],
    is_default: view.isDefault,
    created_at: toTimestamp(view.createdAtMs),
    updated_at: toTimestamp(view.updatedAtMs),
  }
}
