import * as z from 'zod'
import { cancelJob, getJob, startJob } from '../../../control/jobs.ts'
import { defined } from '../../../lib/defined.ts'
import { defineRoute } from '../../route.ts'
import { cursorParam, toCursor } from '../../wire/cursor.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { externalIdParams } from '../../wire/path-params.ts'
import { backfillInput, jobOutput, rerunInput, toBackfill, toRerun, toWireJob } from './job-wire.ts'

const TAG = 'Jobs'
const LIMIT_MAX = 200
const LIMIT_DEFAULT = 50
const CURSOR = 'jobs'
const TOO_MANY = 'Too many jobs of the project are under way.'
const NOT_FOUND = 'The project has no such job.'

const jobParams = z.object({ id: z.string().describe('Id of the job.') })

export const backfillSetupRoute = defineRoute({
  method: 'POST',
  path: '/v2/auto-monitor-setups/{external_id}/backfill',
  operationId: 'backfillAutoMonitorSetup',
  tag: TAG,
  summary: 'Evaluate stored spans with a setup',
  description:
    'Goes over the spans of the window, the newest first, and evaluates those that the setup matches and that its monitors ' +
    'have not evaluated yet, as if they came now. Answers at once with a job. Spans that come in go first, and budgets hold. ' +
    'A setup that waits for spans is bound on what the backfill finds.',
  access: 'write',
  params: externalIdParams,
  body: backfillInput,
  success: { status: 201, description: 'The job, queued.', schema: jobOutput },
  errors: { 404: 'The project has no such setup.', 429: TOO_MANY },
  async handle({ principal, params, body }, deps) {
    return toWireJob(
      await startJob(deps, principal, toBackfill(params.external_id, body, deps.clock.nowMs())),
    )
  },
})

export const rerunEvaluationsRoute = defineRoute({
  method: 'POST',
  path: '/v2/evaluations/rerun',
  operationId: 'rerunEvaluations',
  tag: TAG,
  summary: 'Evaluate units again',
  description:
    'Goes over results in the order of their recording and evaluates again those that the filter means, by the version that ' +
    'their monitor has now. By the same version the new result supersedes the old one, which stays as history; by a later ' +
    'version it stands beside it. Answers at once with a job.',
  access: 'write',
  body: rerunInput,
  success: { status: 201, description: 'The job, queued.', schema: jobOutput },
  errors: { 429: TOO_MANY },
  async handle({ principal, body }, deps) {
    return toWireJob(await startJob(deps, principal, toRerun(body)))
  },
})

export const listJobsRoute = defineRoute({
  method: 'GET',
  path: '/v2/jobs',
  operationId: 'listJobs',
  tag: TAG,
  summary: 'List jobs',
  description: 'The newest first.',
  access: 'read',
  query: z.object({
    limit: pageLimit(LIMIT_MAX).optional().describe(`Largest number of jobs; ${LIMIT_DEFAULT} when absent.`),
    cursor: cursorParam(CURSOR).optional(),
  }),
  success: {
    status: 200,
    description: 'A page of jobs.',
    schema: z.object({
      jobs: z.array(jobOutput),
      next_cursor: z.string().optional().describe('Absent on the last page.'),
    }),
  },
  async handle({ principal, query }, { storage }) {
    const limit = query.limit ?? LIMIT_DEFAULT
    // One more than asked for tells whether there is a next page.
    const jobs = await storage.listJobs(principal, {
      limit: limit + 1,
      ...defined({ beforeNumber: query.cursor }),
    })
    const page = jobs.slice(0, limit)
    const last = page.at(-1)
    return {
      jobs: page.map(toWireJob),
      ...(jobs.length > limit && last ? { next_cursor: toCursor(CURSOR, last.number) } : {}),
    }
  },
})

export const getJobRoute = defineRoute({
  method: 'GET',
  path: '/v2/jobs/{id}',
  operationId: 'getJob',
  tag: TAG,
  summary: 'Read a job and its progress',
  access: 'read',
  params: jobParams,
  success: { status: 200, description: 'The job.', schema: jobOutput },
  errors: { 404: NOT_FOUND },
  async handle({ principal, params }, deps) {
    return toWireJob(await getJob(deps, principal, params.id))
  },
})

export const cancelJobRoute = defineRoute({
  method: 'POST',
  path: '/v2/jobs/{id}/cancel',
  operationId: 'cancelJob',
  tag: TAG,
  summary: 'Cancel a job',
  description:
    'Ends it and what it has queued; what it had evaluated stays. A job that has ended stays as it is.',
  access: 'write',
  params: jobParams,
  success: { status: 200, description: 'The job, ended.', schema: jobOutput },
  errors: { 404: NOT_FOUND },
  async handle({ principal, params }, deps) {
    return toWireJob(await cancelJob(deps, principal, params.id))
  },
})
