import * as z from 'zod'
import type { ProjectTenant } from '../../../domain/tenant.ts'
import type { EvaluationFilter, EvaluationPage, ResultStorage } from '../../../ports/result-storage.ts'
import { defineRoute, StreamedAnswer } from '../../route.ts'
import { csvLine } from './csv.ts'
import { checkEvaluationFilter, evaluationFilterFields, toEvaluationFilter } from './evaluation-filter.ts'
import { evaluationOutput, toWireEvaluation } from './evaluation-wire.ts'

/** Results that are read at a time; no more than these are held in memory. */
const PAGE = 500

type WireEvaluation = z.output<typeof evaluationOutput>

const COLUMNS = Object.keys(evaluationOutput.shape) as (keyof WireEvaluation)[]

interface ExportFormat {
  readonly contentType: string
  readonly head: string
  readonly line: (evaluation: WireEvaluation) => string
}

const FORMATS = {
  jsonl: {
    contentType: 'application/x-ndjson',
    head: '',
    line: (evaluation) => `${JSON.stringify(evaluation)}\n`,
  },
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    head: csvLine(COLUMNS),
    line: (evaluation) => csvLine(COLUMNS.map((column) => csvText(evaluation[column]))),
  },
} satisfies Record<string, ExportFormat>

function csvText(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value)
}

export const exportEvaluationsRoute = defineRoute({
  method: 'GET',
  path: '/v2/evaluations/export',
  operationId: 'exportEvaluations',
  tag: 'Results',
  summary: 'Export results',
  description:
    'All results that pass the same filters as in the list, newest first, as one JSON object per line or as CSV with a ' +
    'header; what is recorded meanwhile is not in it. The answer is sent while it is read, with gzip if asked for. In ' +
    'CSV `output` is JSON, and a text that a spreadsheet would take for a formula begins with an apostrophe.',
  access: 'read',
  query: z
    .object({
      ...evaluationFilterFields,
      format: z.enum(['jsonl', 'csv']).optional().describe('`jsonl` when absent.'),
    })
    .superRefine(checkEvaluationFilter),
  success: {
    status: 200,
    description: 'The results. An answer that breaks off without its end is not complete.',
    contentType: Object.values(FORMATS).map(({ contentType }) => contentType),
  },
  async handle({ principal, query }, { storage }) {
    const filter = toEvaluationFilter(query)
    const format = FORMATS[query.format ?? 'jsonl']
    // The first page before anything is sent, so that a fault can still be told.
    const first = await readPage(storage, principal, filter)
    return new StreamedAnswer(format.contentType, writeExport(storage, principal, filter, format, first))
  },
})

async function* writeExport(
  storage: ResultStorage,
  tenant: ProjectTenant,
  filter: EvaluationFilter,
  { head, line }: ExportFormat,
  first: EvaluationPage,
): AsyncGenerator<string> {
  yield head
  let page = first
  for (;;) {
    if (page.evaluations.length > 0)
      yield page.evaluations.map((found) => line(toWireEvaluation(found))).join('')
    if (page.nextAfter === undefined) return
    page = await readPage(storage, tenant, filter, page.nextAfter)
  }
}

function readPage(
  storage: ResultStorage,
  tenant: ProjectTenant,
  filter: EvaluationFilter,
  afterNumber?: number,
): Promise<EvaluationPage> {
  const range = { order: 'newest', limit: PAGE } as const
  return storage.listEvaluations(
    tenant,
    filter,
    afterNumber === undefined ? range : { ...range, afterNumber },
  )
}
