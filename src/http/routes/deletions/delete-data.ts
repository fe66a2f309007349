import * as z from 'zod'
import { administeredProject } from '../../../control/administration.ts'
import {
  type Deletion,
  deleteProjectData,
  deleteSession,
  deleteTrace,
  getDeletion,
} from '../../../control/deletions.ts'
import { defined } from '../../../lib/defined.ts'
import { invalidInput } from '../../../lib/public-error.ts'
import { defineRoute } from '../../route.ts'
import { sessionParams, traceParams } from '../../wire/path-params.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'

const deletionOutput = z
  .object({
    id: z.string().describe('Names the deletion in `GET /v2/deletions/{id}`.'),
    kind: z.enum(['trace', 'session', 'project']),
    status: z
      .enum(['erasing', 'erased'])
      .describe('`erasing`: hidden from every read. `erased`: in no file of the store any more.'),
    spans: z
      .int()
      .optional()
      .describe('Stored spans that are erased. Absent when the store was too busy to count a whole project.'),
    evaluations: z.int().optional().describe('Evaluations that are erased; absent as for `spans`.'),
    late_spans: z
      .int()
      .describe('Spans that arrived after the deletion, for example from the stream, and were not taken in.'),
    requested_at: timestamp,
    erased_by: timestamp.describe('By then it is in no file of the store any more, at the latest.'),
    erased_at: timestamp.optional().describe('When it was in no file of the store any more; absent before.'),
  })
  .meta({ id: 'Deletion' })

const success = {
  status: 202,
  description: 'Hidden from every read. Asking again is no error.',
  schema: deletionOutput,
} as const

const errors = {
  503: 'The deletion is stored, but spans that arrived just before it may still be seen; ask again.',
}

function toWire(deletion: Deletion) {
  const { id, kind, spans, evaluations, lateSpans, requestedAtMs, erasedByMs, erasedAtMs } = deletion
  return {
    id,
    kind,
    status: erasedAtMs === undefined ? ('erasing' as const) : ('erased' as const),
    ...defined({ spans, evaluations }),
    late_spans: lateSpans,
    requested_at: toTimestamp(requestedAtMs),
    erased_by: toTimestamp(erasedByMs),
    ...(erasedAtMs === undefined ? {} : { erased_at: toTimestamp(erasedAtMs) }),
  }
}

export const getDeletionRoute = defineRoute({
  method: 'GET',
  path: '/v2/deletions/{id}',
  operationId: 'getDeletion',
  tag: 'Privacy',
  summary: 'Get a deletion',
  description:
    'How much a deletion erases and whether it has. Deletions are remembered for 30 days. With the scope `admin` also those of ' +
    'other projects of the organization.',
  access: 'write',
  params: z.object({ id: z.string().describe('The `id` of a deletion.') }),
  success: { status: 200, description: 'The deletion.', schema: deletionOutput },
  errors: { 404: 'There is no such deletion, or it is no longer remembered.' },
  async handle({ principal, params }, deps) {
    const isAdmin = principal.permissions.includes('admin')
    const caller = { orgId: principal.orgId, projectId: principal.projectId, isAdmin }
    return toWire(await getDeletion(deps, caller, params.id))
  },
})

export const deleteTraceRoute = defineRoute({
  method: 'DELETE',
  path: '/v2/traces/{trace_id}',
  operationId: 'deleteTrace',
  tag: 'Privacy',
  summary: 'Delete a trace',
  description:
    'Deletes the spans of the trace, its results with everything they quote, and its annotations. Spans of the trace that ' +
    'arrive within the next 30 days are not stored. An unknown trace can be deleted, too; its spans are then not stored either.',
  access: 'write',
  params: traceParams,
  success,
  errors,
  async handle({ principal, params }, deps) {
    if (!/^[0-9a-f]{32}$/i.test(params.trace_id)) throw invalidInput('trace_id must be 32 hex digits')
    return toWire(await deleteTrace(deps, principal, params.trace_id.toLowerCase()))
  },
})

export const deleteSessionRoute = defineRoute({
  method: 'DELETE',
  path: '/v2/sessions/{session_id}',
  operationId: 'deleteSession',
  tag: 'Privacy',
  summary: 'Delete a session',
  description:
    'All traces of the session that have arrived, as if each was deleted, and what was said about the session. What begins ' +
    'later under the same session id is new.',
  access: 'write',
  params: sessionParams,
  success,
  errors,
  async handle({ principal, params }, deps) {
    return toWire(await deleteSession(deps, principal, params.session_id))
  },
})

export const deleteProjectDataRoute = defineRoute({
  method: 'DELETE',
  path: '/v2/projects/{project_id}/data',
  operationId: 'deleteProjectData',
  tag: 'Privacy',
  summary: 'Delete all data of a project',
  description:
    'Spans, traces, results, charts, scores and executions, in all environments. What was configured stays and goes on to ' +
    'work: setups, monitors, keys, budgets and what was spent.',
  access: 'admin',
  params: z.object({ project_id: z.string() }),
  success,
  errors: { 404: 'There is no such project, or the key does not administer it.' },
  async handle({ principal, params }, deps) {
    const tenant = administeredProject(principal, params.project_id)
    return toWire(await deleteProjectData(deps, tenant))
  },
})
