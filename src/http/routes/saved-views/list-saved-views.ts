import * as z from 'zod'
import { VIEWED_LISTS } from '../../../domain/saved-view.ts'
import { defined } from '../../../lib/defined.ts'
import { defineRoute } from '../../route.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { savedViewOutput, toWireView } from './saved-view-wire.ts'

const LIMIT_MAX = 200
const LIMIT_DEFAULT = 100
const CURSOR = /^views:([\w-]{1,64})$/

const viewsCursor = z
  .string()
  .transform((text, context): string => {
    const [, id] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? []
    if (id !== undefined) return id
    context.addIssue({ code: 'custom', message: 'must be the next_cursor of the page before' })
    return z.NEVER
  })
  .describe('The `next_cursor` of the page before.')

export const listSavedViewsRoute = defineRoute({
  method: 'GET',
  path: '/v2/saved-views',
  operationId: 'listSavedViews',
  tag: 'Traces',
  summary: 'List saved views',
  description: 'The views of the project, in the order in which they were created.',
  access: 'read',
  query: z.object({
    list: z.enum(VIEWED_LISTS).optional().describe('Only views of this list.'),
    limit: pageLimit(LIMIT_MAX).optional().describe(`Most views of a page; ${LIMIT_DEFAULT} when absent.`),
    cursor: viewsCursor.optional(),
  }),
  success: {
    status: 200,
    description: 'A page of saved views.',
    schema: z.object({
      saved_views: z.array(savedViewOutput),
      next_cursor: z.string().optional().describe('Absent on the last page.'),
    }),
  },
  async handle({ principal, query }, { storage }) {
    const limit = query.limit ?? LIMIT_DEFAULT
    const views = await storage.listSavedViews(principal, defined({ list: query.list }), {
      limit: limit + 1,
      ...defined({ afterId: query.cursor }),
    })
    const page = views.slice(0, limit)
    const last = page.at(-1)
    return {
      saved_views: page.map(toWireView),
      ...(last && views.length > limit
        ? { next_cursor: Buffer.from(`views:${last.id}`).toString('base64url') }
        : {}),
    }
  },
})
