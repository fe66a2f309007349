import * as z from 'zod'
import type { OutcomeStatus } from '../../../domain/evaluation.ts'
import {
  type BackfillRequest,
  FAILED_STATUSES,
  JOB_STATES,
  type Job,
  type JobRequest,
  type RerunRequest,
} from '../../../domain/job.ts'
import { defined } from '../../../lib/defined.ts'
import { checkOrder, hexParam, timeParam } from '../../wire/query-params.ts'
import { requiredName } from '../../wire/text-schemas.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'

const LIMIT_MAX = 1_000_000
const LIMIT_DEFAULT = 10_000
const VERSION_MAX = 1_000_000
const NAME_CHARS_MAX = 255

const limit = z
  .int()
  .min(1)
  .max(LIMIT_MAX)
  .optional()
  .describe(`Most units that are evaluated; ${LIMIT_DEFAULT} when absent.`)

/** The body of a backfill request. A name that is not known is refused: left out, it would widen what is meant. */
export const backfillInput = z
  .strictObject({
    window: z
      .strictObject({ from: timeParam().optional(), to: timeParam().optional() })
      .superRefine(({ from, to }, context) => checkOrder(context, ['from', 'to'], from, to))
      .optional()
      .describe('Spans that arrived from `from` until before `to`; absent: all that are kept, until now.'),
    limit,
    limit_by: z
      .enum(['spans', 'traces'])
      .optional()
      .describe(
        'The unit that `limit` counts; spans when absent. A trace counts once, and only where one of its matching spans is a call of a model, a tool or an agent.',
      ),
    trace_id: hexParam(16).optional().describe('Only spans of this trace; a narrow window makes it quick.'),
    sampling_rate: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe("The share of traces; 1 when absent. The evaluators' own sampling rates hold too."),
  })
  .meta({ id: 'BackfillInput' })

const RERUN_STATUSES = [...FAILED_STATUSES, 'scored'] as const satisfies readonly OutcomeStatus[]

/** The body of a rerun request. */
export const rerunInput = z
  .strictObject({
    filter: z
      .strictObject({
        status: z
          .array(z.enum(RERUN_STATUSES))
          .min(1)
          .optional()
          .describe('Results with one of these statuses; absent: all but `scored`.'),
        evaluator_type: requiredName(NAME_CHARS_MAX).optional().describe('The evaluator slug.'),
        evaluator_version: z.int().min(1).max(VERSION_MAX).optional(),
        monitor_id: requiredName(NAME_CHARS_MAX).optional(),
        external_id: requiredName(NAME_CHARS_MAX).optional().describe('Results of this setup.'),
        trace_id: hexParam(16).optional(),
        from: timeParam().optional().describe('Recorded at or after.'),
        to: timeParam().optional().describe('Recorded before.'),
      })
      .superRefine(({ from, to }, context) => checkOrder(context, ['from', 'to'], from, to))
      .optional()
      .describe('All conditions hold together; absent: everything that gave no score.'),
    limit,
  })
  .meta({ id: 'RerunInput' })

/** A backfill in the words of the domain; a window without an end ends now. */
export function toBackfill(
  externalId: string,
  body: z.output<typeof backfillInput>,
  nowMs: number,
): BackfillRequest {
  return {
    kind: 'backfill',
    externalId,
    fromMs: body.window?.from ?? 0,
    // Spans that arrive from now on are matched on arrival.
    toMs: Math.min(body.window?.to ?? nowMs + 1, nowMs + 1),
    limit: body.limit ?? LIMIT_DEFAULT,
    ...(body.limit_by === 'traces' && { limitBy: body.limit_by }),
    ...defined({ traceId: body.trace_id }),
    samplingRate: body.sampling_rate ?? 1,
  }
}

/** A rerun in the words of the domain. */
export function toRerun({ filter = {}, ...body }: z.output<typeof rerunInput>): RerunRequest {
  return {
    kind: 'rerun',
    statuses: filter.status ?? FAILED_STATUSES,
    ...defined({
      slug: filter.evaluator_type,
      evaluatorVersion: filter.evaluator_version,
      monitorId: filter.monitor_id,
      externalId: filter.external_id,
      traceId: filter.trace_id,
      fromMs: filter.from,
      toMs: filter.to,
    }),
    limit: body.limit ?? LIMIT_DEFAULT,
  }
}

/** A job as it is answered. */
export const jobOutput = z
  .object({
    id: z.string(),
    kind: z.enum(['backfill', 'rerun']),
    state: z.enum(JOB_STATES),
    external_id: z
      .string()
      .optional()
      .describe('The setup of a backfill, or the one that a rerun is confined to.'),
    window: z.object({ from: timestamp.optional(), to: timestamp.optional() }),
    filter: z
      .object({
        status: z.array(z.enum(RERUN_STATUSES)),
        evaluator_type: z.string().optional(),
        evaluator_version: z.int().optional(),
        monitor_id: z.string().optional(),
        trace_id: z.string().optional(),
      })
      .optional()
      .describe('Of a rerun.'),
    sampling_rate: z.number().optional().describe('Of a backfill.'),
    trace_id: z.string().optional().describe('Of a backfill that is confined to one trace.'),
    limit: z.int(),
    limit_by: z.enum(['spans', 'traces']).optional().describe('Of a backfill.'),
    limit_reached: z.boolean().describe('Whether there may be more than the limit.'),
    progress: z.object({
      looked_at: z.int().describe('Stored spans, or results, that were looked at.'),
      matched: z.int().describe('Those among them that are meant.'),
      taken: z
        .int()
        .describe('Spans, traces or results that there was something to do for; `limit` holds this number.'),
      queued: z
        .int()
        .describe(
          'Evaluations of spans that were asked for; not those that were made or wait already. Whole traces and ' +
            'sessions are evaluated when they are ready and are not counted here.',
        ),
      evaluated: z.int().describe('Those among them that were made.'),
      sampled_out: z.int().describe("Those among them that an evaluator's sampling rate left out."),
      skipped: z.int().describe('Those among them that are no call of a model, a tool or an agent.'),
    }),
    error_message: z.string().optional().describe('Why it failed.'),
    created_at: timestamp,
    finished_at: timestamp.optional(),
  })
  .meta({ id: 'Job' })

/** A job in the form of the wire. */
export function toWireJob(job: Job): z.input<typeof jobOutput> {
  const { request } = job
  return {
    id: job.id,
    kind: request.kind,
    state: job.state,
    ...defined({ external_id: request.externalId }),
    window: windowOf(request),
    ...(request.kind === 'backfill'
      ? {
          sampling_rate: request.samplingRate,
          limit_by: request.limitBy ?? ('spans' as const),
          ...defined({ trace_id: request.traceId }),
        }
      : { filter: filterOf(request) }),
    limit: request.limit,
    limit_reached: job.isLimitReached,
    progress: {
      looked_at: job.lookedAt,
      matched: job.matched,
      taken: job.taken,
      queued: job.queued,
      evaluated: job.evaluated,
      sampled_out: job.sampledOut,
      skipped: job.skipped,
    },
    ...defined({ error_message: job.errorMessage }),
    created_at: toTimestamp(job.createdAtMs),
    ...(job.finishedAtMs === undefined ? {} : { finished_at: toTimestamp(job.finishedAtMs) }),
  }
}

function windowOf({ fromMs = 0, toMs }: JobRequest) {
  return {
    ...(fromMs === 0 ? {} : { from: toTimestamp(fromMs) }),
    ...(toMs === undefined ? {} : { to: toTimestamp(toMs) }),
  }
}

function filterOf(request: RerunRequest) {
  return {
    // Only statuses that a rerun can name are ever stored with one.
    status: request.statuses as (typeof RERUN_STATUSES)[number][],
    ...defined({
      evaluator_type: request.slug,
      evaluator_version: request.evaluatorVersion,
      monitor_id: request.monitorId,
      trace_id: request.traceId,
    }),
  }
}
