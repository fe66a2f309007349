import * as z from 'zod'
import { notFound } from '../../../domain/errors.ts'
import { defined } from '../../../lib/defined.ts'
import { previewSessions } from '../../../query/preview-sessions.ts'
import { readEnvironments } from '../../project-environments.ts'
import { defineRoute } from '../../route.ts'
import { readTraceContext } from '../../trace-context.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { sessionParams } from '../../wire/path-params.ts'
import { includeParam } from '../../wire/preview-wire.ts'
import { checkOrder, environmentsParam, timeParam } from '../../wire/query-params.ts'
import { scoreOutput, toWireScore } from '../scores/score-wire.ts'
import {
  sessionFields,
  sessionOutput,
  shortEvaluation,
  toShortEvaluation,
  toTracesCursor,
  toWireSession,
  toWireTrace,
  traceOutput,
  tracesCursor,
} from './trace-wire.ts'

const LIMIT_MAX = 200
const LIMIT_DEFAULT = 50
/** Results and annotations of a session that are shown with it. */
const BESIDE_MAX = 1_000
const CURSOR = /^sessions:(\d{1,15}):(.+)$/s

/** A place between sessions, in the order of their newest spans. */
interface SessionPosition {
  readonly lastMs: number
  readonly sessionId: string
}

const sessionsCursor = z
  .string()
  .transform((text, context): SessionPosition => {
    const [, lastMs, sessionId] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? []
    if (lastMs !== undefined && sessionId !== undefined) return { lastMs: Number(lastMs), sessionId }
    context.addIssue({ code: 'custom', message: 'must be the next_cursor of the page before' })
    return z.NEVER
  })
  .describe('The `next_cursor` of the page before.')

export const listSessionsRoute = defineRoute({
  method: 'GET',
  path: '/v2/sessions',
  operationId: 'listSessions',
  tag: 'Traces',
  summary: 'List sessions',
  description:
    'Conversations: traces whose spans name the same session (`gen_ai.conversation.id`, `session.id`, an association ' +
    'property and the like). The one with the newest span first. With `from` or `to` only traces that began then count.',
  access: 'read',
  query: z
    .object({
      from: timeParam().optional().describe('Only traces that began at or after.'),
      to: timeParam().optional().describe('Only traces that began before.'),
      environment: environmentsParam().optional(),
      limit: pageLimit(LIMIT_MAX).optional().describe(`Most sessions; ${LIMIT_DEFAULT} when absent.`),
      cursor: sessionsCursor.optional(),
      include: includeParam,
    })
    .superRefine(({ from, to }, context) => checkOrder(context, ['from', 'to'], from, to)),
  success: {
    status: 200,
    description: 'A page of sessions.',
    schema: z.object({
      sessions: z.array(sessionOutput),
      next_cursor: z.string().optional().describe('Absent on the last page.'),
    }),
  },
  async handle({ principal, query }, { storage, prices }) {
    const limit = query.limit ?? LIMIT_DEFAULT
    const envProjectIds = (await readEnvironments(storage, principal)).idsOf(query.environment)
    const sessions = await storage.listSessions(
      principal,
      {
        ...defined({ fromMs: query.from, toMs: query.to, envProjectIds }),
      },
      { limit: limit + 1, ...defined({ after: query.cursor }) },
    )
    const page = sessions.slice(0, limit)
    const last = page.at(-1)
    const previews = query.include === undefined ? undefined : await previewSessions(storage, principal, page)
    return {
      sessions: page.map((session, at) => ({
        ...toWireSession(session, prices),
        ...(previews && { preview: { ...previews[at] } }),
      })),
      ...(last && sessions.length > limit ? { next_cursor: toCursor(last) } : {}),
    }
  },
})

export const getSessionRoute = defineRoute({
  method: 'GET',
  path: '/v2/sessions/{session_id}',
  operationId: 'getSession',
  tag: 'Traces',
  summary: 'Read a session',
  description: 'A session with its traces, in the order in which they began.',
  access: 'read',
  params: sessionParams,
  query: z.object({
    limit: pageLimit(LIMIT_MAX).optional().describe(`Most traces of a page; ${LIMIT_DEFAULT} when absent.`),
    cursor: tracesCursor.optional(),
  }),
  success: {
    status: 200,
    description: 'The session.',
    schema: z
      .object({
        ...sessionFields,
        evaluations: z.array(shortEvaluation).describe('Current results of the session as a whole.'),
        scores: z.array(scoreOutput).describe('What was said about the session itself, newest first.'),
        traces: z.array(traceOutput),
        next_cursor: z.string().optional().describe('Absent with the last traces.'),
      })
      .meta({ id: 'SessionDetail' }),
  },
  errors: { 404: 'The project has no such session.' },
  async handle({ principal, params, query }, { storage, prices }) {
    const filter = { sessionId: params.session_id }
    const [session] = await storage.listSessions(principal, filter, { limit: 1 })
    if (!session) throw notFound('session not found')
    const { traces, next } = await storage.listTraces(principal, filter, {
      order: 'oldest',
      limit: query.limit ?? LIMIT_DEFAULT,
      ...defined({ after: query.cursor }),
    })
    const about = { traceIds: [], sessionIds: [session.sessionId] }
    const [environments, beside, evaluations, annotations] = await Promise.all([
      readEnvironments(storage, principal),
      readTraceContext(storage, principal, traces),
      storage.listSessionEvaluations(principal, session.sessionId, BESIDE_MAX),
      storage.listAnnotationsOf(principal, about, BESIDE_MAX),
    ])
    return {
      ...toWireSession(session, prices),
      evaluations: evaluations.map(toShortEvaluation),
      scores: annotations.map((annotation) => toWireScore(annotation, environments.slugOf)),
      traces: traces.map((trace) => toWireTrace(trace, { environments, prices, ...beside })),
      ...(next === undefined ? {} : { next_cursor: toTracesCursor(next) }),
    }
  },
})

function toCursor({ lastMs, sessionId }: SessionPosition): string {
  return Buffer.from(`sessions:${lastMs}:${sessionId}`).toString('base64url')
}
