import * as z from 'zod'
import { notFound } from '../../domain/errors.ts'
import { findBuiltIn } from '../../evaluators/catalogue.ts'
import type { AnyEvaluator } from '../../evaluators/kit/define-evaluator.ts'
import { EVALUATORS } from '../../evaluators/registry.gen.ts'
import { runEvaluator } from '../../pipeline/run-evaluator.ts'
import { type AnyRoute, defineRoute } from '../route.ts'
import { evaluatorParams } from '../wire/path-params.ts'

// Nothing is stored, so the key inside an application may ask too: its guards use the key that sends its spans.
const EXECUTORS = ['ingest', 'write'] as const

const ERRORS = {
  501: 'This version knows the evaluator but cannot run it.',
  413: 'The body is too large, or needs too much memory.',
  503: 'Too many evaluations are waiting.',
  504: 'The evaluation took too long.',
}

/** One operation for every built-in evaluator, so that each has its own fields in the description of the interface. */
export const executeBuiltInRoutes: readonly AnyRoute[] = EVALUATORS.map((evaluator) =>
  defineRoute({
    method: 'POST',
    path: `/v2/evaluators/${evaluator.slug}/execute`,
    operationId: `execute-${evaluator.slug}`,
    tag: 'Execute an evaluator',
    summary: evaluator.slug,
    description: evaluator.summary,
    access: EXECUTORS,
    body: bodyOf(evaluator),
    bodyAs: 'bytes',
    success: { status: 200, description: "The evaluator's own answer.", schema: evaluator.output },
    errors: ERRORS,
    handle: ({ body, signal }, { pool }) => runEvaluator(pool, evaluator, body, signal),
  }),
)

/** The same by id, and the place where custom evaluators will be run. */
export const executeByNameRoute = defineRoute({
  method: 'POST',
  path: '/v2/evaluators/{evaluator}/execute',
  operationId: 'executeEvaluator',
  tag: 'Execute an evaluator',
  summary: 'Any evaluator, by id or slug',
  access: EXECUTORS,
  params: evaluatorParams,
  body: z.object({
    input: z.looseObject({}).describe('The inputs of the evaluator.'),
    config: z.looseObject({}).optional().describe('Its settings.'),
  }),
  bodyAs: 'bytes',
  success: { status: 200, description: "The evaluator's own answer.", schema: z.looseObject({}) },
  errors: { ...ERRORS, 404: 'The organization knows no such evaluator.' },
  async handle({ params, body, signal }, { pool }) {
    const evaluator = findBuiltIn(params.evaluator)
    if (!evaluator) throw notFound('evaluator not found')
    return runEvaluator(pool, evaluator, body, signal)
  },
})

function bodyOf(evaluator: AnyEvaluator) {
  const hasRequired = !evaluator.config.safeParse({}).success
  return z.object({
    input: evaluator.input,
    config: hasRequired ? evaluator.config : evaluator.config.optional(),
  })
}
