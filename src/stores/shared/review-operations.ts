import type { ReviewAnswer } from '../../domain/review.ts'
import { annotationOf } from '../../domain/review.ts'
import type { ProjectTenant } from '../../domain/tenant.ts'
import { VERDICT_PROPERTY } from '../../domain/verdict.ts'
import type {
  NewReviewQueue,
  ReviewedItem,
  ReviewItem,
  ReviewItemPage,
  ReviewQueue,
} from '../../ports/review-storage.ts'
import { addAnnotations } from './annotation-operations.ts'
import type { AnnotationRow } from './annotation-rows.ts'
import { type EvaluationRow, joinOwners, toEvaluation } from './evaluation-rows.ts'
import { projectOf } from './project-of.ts'
import { AnswersByUnit, type ItemRow, type QueueRow, SELECT_ITEMS, toQueue, unitOf } from './review-rows.ts'
import { Rows, type Sql } from './sql.ts'
import { toVerdict } from './stored-verdict.ts'

/** One item of a queue. */
interface ItemPlace {
  readonly id: string
  readonly evaluationNumber: number
}

export async function createReviewQueue(
  tx: Sql,
  tenant: ProjectTenant,
  queue: NewReviewQueue,
  atMs: number,
  queuesMax: number,
): Promise<ReviewQueue | 'full'> {
  // Of several queues that are made at once, each sees those before it: together they stay within the limit.
  const { number: project } = await tx.lock.project(tenant)
  const known = await tx.get<{ count: number }>(
    'SELECT count(*) AS count FROM review_queues WHERE project_number = $1',
    project,
  )
  if ((known?.count ?? 0) >= queuesMax) return 'full'
  const row = await tx.get<QueueRow>(
    `INSERT INTO review_queues (id, project_number, name, filter, reviewers, sample_size, seed, drawn_from, is_whole,
       created_at_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING *`,
    ...[queue.id, project, queue.name, JSON.stringify(queue.filter), JSON.stringify(queue.reviewers)],
    ...[queue.sampleSize, queue.seed, queue.drawnFrom, queue.isWhole ? 1 : 0, atMs],
  )
  const { number } = row as QueueRow
  const columns = { place: 'bigint', evaluation_number: 'bigint', unit_at_ms: 'bigint' } as const
  await tx.run(
    `INSERT INTO review_items (queue_number, project_number, place, evaluation_number, unit_at_ms)
     SELECT $1, $2, place, evaluation_number, unit_at_ms FROM ${tx.dialect.rows('$3', 'given', columns)}`,
    number,
    project,
    new Rows(
      queue.evaluations.map((evaluation, place) => ({
        place,
        evaluation_number: evaluation.number,
        unit_at_ms: evaluation.unitAtMs,
      })),
    ),
  )
  return toQueue(row as QueueRow)
}

export async function listReviewQueues(
  tx: Sql,
  tenant: ProjectTenant,
  { beforeNumber, limit }: { readonly beforeNumber?: number; readonly limit: number },
): Promise<ReviewQueue[]> {
  const { number: project } = await projectOf(tx, tenant)
  const rows = await tx.all<QueueRow>(
    'SELECT * FROM review_queues WHERE project_number = $1 AND number < $2 ORDER BY number DESC LIMIT $3',
    project,
    beforeNumber ?? Number.MAX_SAFE_INTEGER,
    limit,
  )
  return rows.map(toQueue)
}

export async function getReviewQueue(
  tx: Sql,
  tenant: ProjectTenant,
  id: string,
): Promise<ReviewQueue | undefined> {
  const { number: project } = await projectOf(tx, tenant)
  const row = await findQueue(tx, project, id)
  return row && toQueue(row)
}

function findQueue(tx: Sql, project: number, id: string): Promise<QueueRow | undefined> {
  return tx.get<QueueRow>('SELECT * FROM review_queues WHERE project_number = $1 AND id = $2', project, id)
}

export async function deleteReviewQueue(tx: Sql, tenant: ProjectTenant, id: string): Promise<boolean> {
  // An answer that is given at the same time finds the queue, or not, but never half of it.
  const { number: project } = await tx.lock.project(tenant)
  const queue = await findQueue(tx, project, id)
  if (!queue) return false
  await tx.run('DELETE FROM review_items WHERE queue_number = $1', queue.number)
  await tx.run('DELETE FROM review_queues WHERE number = $1', queue.number)
  return true
}

export async function listReviewItems(
  tx: Sql,
  tenant: ProjectTenant,
  id: string,
  range: { readonly afterPlace?: number; readonly limit: number; readonly unansweredBy?: string },
): Promise<ReviewItemPage | undefined> {
  const { number: project } = await projectOf(tx, tenant)
  const queue = await findQueue(tx, project, id)
  if (!queue) return undefined
  const { afterPlace = -1, limit, unansweredBy } = range
  const answers = await readAnswers(tx, project, id)
  const isAnswered = (row: ItemRow) => answers.of(row).some(({ reviewer }) => reviewer === unansweredBy)
  const rows = (await readItems(tx, project, queue)).filter(
    (row) => row.place > afterPlace && (unansweredBy === undefined || !isAnswered(row)),
  )
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    items: await withEvaluations(tx, project, page, answers),
    ...(rows.length > limit && last ? { nextAfter: last.place } : {}),
  }
}

export async function readReviewedItems(
  tx: Sql,
  tenant: ProjectTenant,
  id: string,
): Promise<ReviewedItem[] | undefined> {
  const { number: project } = await projectOf(tx, tenant)
  const queue = await findQueue(tx, project, id)
  if (!queue) return undefined
  const answers = await readAnswers(tx, project, id)
  return (await readItems(tx, project, queue)).map((row) => ({
    place: row.place,
    ...(row.verdict === null ? {} : { verdict: toVerdict(row.verdict) }),
    answers: answers.of(row).map(({ annotation: _, ...answer }) => answer),
  }))
}

export async function putReviewAnswer(
  tx: Sql,
  tenant: ProjectTenant,
  { id, evaluationNumber }: ItemPlace,
  answer: ReviewAnswer,
  atMs: number,
  reviewersMax: number,
): Promise<ReviewItem | 'full' | undefined> {
  // Until the answer is stored: of two answers of the same reviewer one takes the place of the other.
  const { number: project } = await tx.lock.project(tenant)
  const row = await findItem(tx, project, id, evaluationNumber)
  if (!row) return undefined
  const { reviewers } = await readAnswers(tx, project, id)
  if (!reviewers.has(answer.reviewer) && reviewers.size >= reviewersMax) return 'full'
  await dropAnswer(tx, project, id, row, answer.reviewer)
  const place = { ...tenant, envProjectId: row.env_project_id }
  await addAnnotations(tx, place, [annotationOf(unitOf(row), answer, id)], atMs)
  const [item] = await withEvaluations(tx, project, [row], await readAnswers(tx, project, id))
  return item
}

export async function deleteReviewAnswer(
  tx: Sql,
  tenant: ProjectTenant,
  { id, evaluationNumber }: ItemPlace,
  reviewer: string,
): Promise<boolean> {
  const { number: project } = await tx.lock.project(tenant)
  const row = await findItem(tx, project, id, evaluationNumber)
  return row !== undefined && (await dropAnswer(tx, project, id, row, reviewer))
}

async function findItem(
  tx: Sql,
  project: number,
  id: string,
  evaluationNumber: number,
): Promise<ItemRow | undefined> {
  const queue = await findQueue(tx, project, id)
  if (!queue) return undefined
  return tx.get<ItemRow>(
    `${SELECT_ITEMS} AND i.evaluation_number = $3`,
    project,
    queue.number,
    evaluationNumber,
  )
}

function readItems(tx: Sql, project: number, queue: QueueRow): Promise<ItemRow[]> {
  return tx.all<ItemRow>(`${SELECT_ITEMS} ORDER BY i.place`, project, queue.number)
}

/** The answers of a whole queue: as many as it has items and reviewers, at most. */
async function readAnswers(tx: Sql, project: number, id: string): Promise<AnswersByUnit> {
  const rows = await tx.all<AnnotationRow>(
    'SELECT * FROM scores WHERE project_number = $1 AND task = $2 AND name = $3 ORDER BY number DESC',
    project,
    id,
    VERDICT_PROPERTY,
  )
  return new AnswersByUnit(rows)
}

async function dropAnswer(
  tx: Sql,
  project: number,
  id: string,
  row: ItemRow,
  reviewer: string,
): Promise<boolean> {
  const answers = (await readAnswers(tx, project, id)).of(row)
  const own = answers.find((answer) => answer.reviewer === reviewer)
  if (!own) return false
  const dropped = await tx.run(
    'DELETE FROM scores WHERE project_number = $1 AND number = $2',
    project,
    own.annotation.number,
  )
  return dropped > 0
}

async function withEvaluations(
  tx: Sql,
  project: number,
  rows: readonly ItemRow[],
  answers: AnswersByUnit,
): Promise<ReviewItem[]> {
  if (rows.length === 0) return []
  const times = rows.map((row) => row.unit_at_ms)
  // The times leave out the partitions that have none of them.
  const found = await tx.all<EvaluationRow>(
    joinOwners(
      `SELECT * FROM evaluations WHERE project_number = $1 AND ${tx.dialect.oneOf('number', '$2')}
         AND unit_at_ms >= $3 AND unit_at_ms <= $4`,
    ),
    ...[project, rows.map(({ number }) => number), Math.min(...times), Math.max(...times)],
  )
  const evaluations = new Map(found.map((row) => [row.number, toEvaluation(row)]))
  return rows.flatMap((row) => {
    const evaluation = evaluations.get(row.number)
    return evaluation ? [{ place: row.place, evaluation, answers: answers.of(row) }] : []
  })
}
