import type { ProjectTenant } from '../../domain/tenant.ts'
import type {
  EvaluationDetail,
  EvaluationFilter,
  EvaluationPage,
  EvaluationRange,
} from '../../ports/result-storage.ts'
import { allVersions } from '../shared/all-versions.ts'
import {
  behindPage,
  monitorConditions,
  type NumberSpan,
  pageOf,
  type ResolvedFilter,
  recordedBetween,
  SELECT_APPLICATION,
} from '../shared/evaluation-page.ts'
import { type EvaluationRow, fromHex, joinOwners, toEvaluation } from '../shared/evaluation-rows.ts'
import { notDeleted } from '../shared/not-deleted.ts'
import { projectOf } from '../shared/project-of.ts'
import type { Sql } from '../shared/sql.ts'
import { type Found, findInTrace, walkEvaluations } from './evaluation-walk.ts'
import { readMonitorVersions } from './work-operations.ts'

/** With `settled` nothing behind that number is shown, because something before it may still become visible. */
export async function listEvaluations(
  tx: Sql,
  tenant: ProjectTenant,
  asked: EvaluationFilter,
  range: EvaluationRange,
  settled = Number.MAX_SAFE_INTEGER,
): Promise<EvaluationPage> {
  const { number: project } = await projectOf(tx, tenant)
  const versions = await versionsOf(tx, project, asked)
  const filter = await resolve(tx, project, asked)
  if (versions?.length === 0 || !filter) return { evaluations: [] }
  const find = await finderOf(tx, project, versions, filter)
  const span = behindPage(await recordedSpan(tx, project, filter), range)
  const found = await find(range, { ...span, high: Math.min(span.high, settled + 1) })
  const isCutOff = found.stop === undefined && range.order === 'oldest' && span.high > settled + 1
  const unsettled = { low: Math.max(span.low, settled), high: span.high }
  const isUnfinished = isCutOff && (await find({ ...range, limit: 0 }, unsettled)).rows.length > 0
  const page = pageOf(found.rows, range, isUnfinished ? unsettled.low : found.stop)
  return filter.property === undefined ? page : withProperty(page, filter.property)
}

export async function getEvaluation(
  tx: Sql,
  tenant: ProjectTenant,
  number: number,
): Promise<EvaluationDetail | undefined> {
  const { number: project } = await projectOf(tx, tenant)
  const row = await tx.get<EvaluationRow & { received_at_ms: number | null }>(
    `SELECT found.*, b.received_at_ms FROM (${joinOwners(
      `SELECT * FROM evaluations e WHERE project_number = $1 AND number = $2 AND ${notDeleted('e')}`,
    )}) AS found LEFT JOIN span_batches b ON b.id = found.batch_id AND b.project_number = $1`,
    project,
    number,
  )
  if (!row) return undefined
  const [monitorVersion] = await readMonitorVersions(tx, [row.monitor_version])
  if (!monitorVersion) throw new Error(`evaluation ${number} has no monitor version`)
  const { received_at_ms: receivedAtMs } = row
  return { ...toEvaluation(row), monitorVersion, ...(receivedAtMs === null ? {} : { receivedAtMs }) }
}

/** The monitor versions that the filter leaves, or undefined when it says nothing about monitors. */
async function versionsOf(tx: Sql, project: number, filter: EvaluationFilter): Promise<number[] | undefined> {
  const { sql, values } = monitorConditions(filter)
  const conditions = sql === '' ? [] : [sql]
  if (filter.environments) conditions.push('n.slug = ANY(?)')
  if (conditions.length === 0) return undefined
  return allVersions(tx, project, conditions, [
    ...values,
    ...(filter.environments ? [filter.environments] : []),
  ])
}

/** Undefined where the filter names an application that there is none of. */
async function resolve(
  tx: Sql,
  project: number,
  filter: EvaluationFilter,
): Promise<ResolvedFilter | undefined> {
  if (filter.application === undefined) return filter
  const row = await tx.get<{ number: number }>(SELECT_APPLICATION, project, filter.application)
  return row && { ...filter, applicationNumber: row.number }
}

type Find = (range: EvaluationRange, span: NumberSpan) => Promise<Found>

async function finderOf(
  tx: Sql,
  project: number,
  versions: readonly number[] | undefined,
  filter: ResolvedFilter,
): Promise<Find> {
  const { traceId } = filter
  if (traceId === undefined)
    return (range, span) => walkEvaluations(tx, { project, versions }, filter, range, span)
  const all = versions ?? (await allVersions(tx, project))
  return (range, span) => findInTrace(tx, all, fromHex(traceId), filter, range, span)
}

/** The numbers between which everything lies that was recorded in the time of the filter. */
async function recordedSpan(tx: Sql, project: number, filter: EvaluationFilter): Promise<NumberSpan> {
  const { fromMs, toMs } = recordedBetween(filter)
  return {
    low: fromMs === undefined ? 0 : (await firstRecordedAt(tx, project, fromMs)) - 1,
    high: toMs === undefined ? Number.MAX_SAFE_INTEGER : await firstRecordedAt(tx, project, toMs),
  }
}

/** The smallest number of the project that was recorded at that time or later, found by halving. */
async function firstRecordedAt(tx: Sql, project: number, atMs: number): Promise<number> {
  const row = await tx.get<{ low: number }>(
    `WITH RECURSIVE halving (low, high) AS (
       SELECT 1::bigint, coalesce((SELECT number FROM evaluations WHERE project_number = $1
                                   ORDER BY number DESC LIMIT 1), 0) + 1
       UNION ALL
       SELECT CASE WHEN probe.created_at_ms < $2 THEN probe.number + 1 ELSE low END,
         CASE WHEN probe.created_at_ms < $2 THEN high ELSE (low + high) / 2 END
       FROM halving LEFT JOIN LATERAL (
         SELECT number, created_at_ms FROM evaluations
         WHERE project_number = $1 AND number >= (low + high) / 2 ORDER BY number LIMIT 1) AS probe ON true
       WHERE low < high)
     SELECT low FROM halving WHERE low >= high`,
    project,
    Math.ceil(atMs),
  )
  return row?.low as number
}

/** The statement only looks for the name of the field, which may stand deeper in the output. */
function withProperty({ evaluations, ...page }: EvaluationPage, property: string): EvaluationPage {
  return { evaluations: evaluations.filter(({ output = {} }) => Object.hasOwn(output, property)), ...page }
}
