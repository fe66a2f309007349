import type { Annotation } from '../../domain/annotation.ts'
import type { EnvironmentTenant, ProjectTenant } from '../../domain/tenant.ts'
import type {
  AnnotationFilter,
  AnnotationPage,
  StoredAnnotation,
  VerdictPair,
} from '../../ports/annotation-storage.ts'
import {
  ANNOTATIONS_EXAMINED_MAX,
  type AnnotationRow,
  addOtherConditions,
  chooseVerdict,
  indexedConditions,
  toAnnotation,
  toAnnotationColumns,
  toAnnotationPage,
  type VerdictRow,
} from './annotation-rows.ts'
import { SESSION_INDEX, UNIT_INDEX } from './evaluation-indexes.ts'
import { fromHex, SPAN_ID_BYTES } from './evaluation-rows.ts'
import { notDeleted } from './not-deleted.ts'
import { projectOf } from './project-of.ts'
import { type ColumnTypes, Rows, type Sql } from './sql.ts'
import { numberPlaces } from './where.ts'

const SCORE_COLUMNS: ColumnTypes = {
  ...{
    trace_id: 'bytes',
    span_id: 'bytes',
    session_id: 'text',
    name: 'text',
    value: 'text',
    comment: 'text',
  },
  ...{ source: 'text', evaluator: 'text', task: 'text', actor: 'text' },
}

export async function addAnnotations(
  tx: Sql,
  tenant: EnvironmentTenant,
  annotations: readonly Annotation[],
  atMs: number,
): Promise<StoredAnnotation[]> {
  // Until the annotations are stored: a deletion of all data of the project gives it another number.
  const project = await tx.lock.projectNumber(tenant)
  const environment = await tx.get(
    'SELECT 1 FROM environments WHERE env_project_id = $1 AND project_id = $2',
    tenant.envProjectId,
    tenant.projectId,
  )
  if (!environment) throw new Error(`environment ${tenant.envProjectId} does not exist`)
  const columns = Object.keys(SCORE_COLUMNS).join(', ')
  // Numbers are given out in the order of the list, which is that of the rows.
  const rows = await tx.all<{ number: number }>(
    `INSERT INTO scores (project_number, env_project_id, created_at_ms, ${columns})
     SELECT $1, $2, $3, ${columns} FROM ${tx.dialect.rows('$4', 'given', SCORE_COLUMNS)}
     ORDER BY nth RETURNING number`,
    ...[project.number, tenant.envProjectId, atMs],
    new Rows(annotations.map(toAnnotationColumns)),
  )
  const numbers = rows.map(({ number }) => number).sort((left, right) => left - right)
  return annotations.map((annotation, at) => ({
    ...annotation,
    number: numbers[at] as number,
    envProjectId: tenant.envProjectId,
    createdAtMs: atMs,
  }))
}

export async function deleteAnnotation(tx: Sql, tenant: ProjectTenant, number: number): Promise<boolean> {
  const { number: project } = await projectOf(tx, tenant)
  return (await tx.run('DELETE FROM scores WHERE project_number = $1 AND number = $2', project, number)) > 0
}

export async function listAnnotations(
  tx: Sql,
  tenant: ProjectTenant,
  filter: AnnotationFilter,
  { afterNumber, limit }: { readonly afterNumber?: number; readonly limit: number },
): Promise<AnnotationPage> {
  const where = indexedConditions((await projectOf(tx, tenant)).number, filter, afterNumber)
  const stop = await tx.get<{ number: number }>(
    numberPlaces(`SELECT number FROM scores WHERE ${where.sql} ORDER BY number DESC LIMIT 1 OFFSET ?`),
    ...where.values,
    ANNOTATIONS_EXAMINED_MAX - 1,
  )
  addOtherConditions(where, filter, stop?.number)
  const rows = await tx.all<AnnotationRow>(
    numberPlaces(`SELECT * FROM scores WHERE ${where.sql} ORDER BY number DESC LIMIT ?`),
    ...where.values,
    limit + 1,
  )
  return toAnnotationPage(rows, limit, stop?.number)
}

export async function listAnnotationsOf(
  tx: Sql,
  tenant: ProjectTenant,
  { traceIds, sessionIds }: { readonly traceIds: readonly string[]; readonly sessionIds: readonly string[] },
  limit: number,
): Promise<StoredAnnotation[]> {
  const { number: project } = await projectOf(tx, tenant)
  const about = (column: string, asked: string) =>
    `SELECT found.* FROM ${asked} ${tx.dialect.joinEach(
      'scores',
      'number',
      `WHERE project_number = $1 AND ${column} = asked.key ORDER BY number DESC LIMIT $4`,
    )}`
  const ofTraces = about('trace_id', tx.dialect.rows('$2', 'asked', { key: 'bytes' }))
  const ofSessions = about('session_id', tx.dialect.rows('$3', 'asked', { key: 'text' }))
  const rows = await tx.all<AnnotationRow>(
    `SELECT * FROM (${ofTraces} UNION ALL ${ofSessions}) AS found ORDER BY number DESC LIMIT $4`,
    project,
    new Rows(traceIds.map((traceId) => ({ key: fromHex(traceId) }))),
    new Rows(sessionIds.map((key) => ({ key }))),
    limit,
  )
  return rows.map(toAnnotation)
}

export async function listVerdictPairs(
  tx: Sql,
  tenant: ProjectTenant,
  monitorId: string,
  annotationsMax: number,
): Promise<VerdictPair[]> {
  const { number: project } = await projectOf(tx, tenant)
  const monitor = await tx.get<{ slug: string; version_number: number }>(
    'SELECT slug, version_number FROM monitors WHERE project_number = $1 AND id = $2',
    project,
    monitorId,
  )
  if (!monitor) return []
  const annotations = await tx.all<AnnotationRow>(
    `SELECT * FROM scores WHERE project_number = $1 AND evaluator = $2 AND source = 'human'
     ORDER BY number DESC LIMIT $3`,
    project,
    monitor.slug,
    annotationsMax,
  )
  const verdicts = await findVerdicts(tx, project, monitor.version_number, annotations)
  const seen = new Set<number>()
  return annotations.flatMap((row) => {
    const verdict = chooseVerdict(verdicts.get(row.number) ?? [])
    if (!verdict || seen.has(verdict.number)) return []
    seen.add(verdict.number)
    const { number: _, ...said } = verdict
    return [{ annotation: toAnnotation(row), ...said }]
  })
}

/** The version's outputs for the units that each annotation may be about: two at most, which is enough to tell that it is not one. */
async function findVerdicts(
  tx: Sql,
  project: number,
  monitorVersion: number,
  annotations: readonly AnnotationRow[],
): Promise<Map<number, VerdictRow[]>> {
  const verdict = (index: string, conditions: string) =>
    tx.dialect.joinEach(
      'evaluations',
      'number',
      `AS e ${tx.dialect.indexedBy(index)}
       WHERE e.project_number = $1 AND e.monitor_version = $2 AND e.is_current = 1 AND e.status = 'scored'
         AND e.output IS NOT NULL AND ${conditions} AND ${notDeleted('e')} ORDER BY e.span_id LIMIT 2`,
    )
  // Between the same two ids where a span is meant, and between the ends where it is the trace: either way along the index.
  const ofTrace = verdict(
    UNIT_INDEX,
    `length(e.span_id) <= ${SPAN_ID_BYTES} AND e.trace_id = s.trace_id
     AND e.span_id >= coalesce(s.span_id, $4) AND e.span_id <= coalesce(s.span_id, $5)`,
  )
  const ofSession = verdict(
    SESSION_INDEX,
    `length(e.span_id) > ${SPAN_ID_BYTES} AND e.session_id = s.session_id`,
  )
  const columns = 's.number AS score, found.number, found.span_id, found.output, found.verdict'
  const rows = await tx.all<VerdictRow & { score: number }>(
    `WITH s AS MATERIALIZED (
       SELECT number, trace_id, span_id, session_id FROM scores WHERE ${tx.dialect.oneOf('number', '$3')})
     SELECT ${columns} FROM s ${ofTrace} WHERE s.trace_id IS NOT NULL
     UNION ALL
     SELECT ${columns} FROM s ${ofSession} WHERE s.trace_id IS NULL`,
    project,
    monitorVersion,
    annotations.map(({ number }) => number),
    new Uint8Array(),
    new Uint8Array(SPAN_ID_BYTES).fill(255),
  )
  return Map.groupBy(rows, ({ score }) => score)
}
