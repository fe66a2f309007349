import * as z from 'zod'
import type { AnyEvaluator } from '../../../evaluators/kit/define-evaluator.ts'
import { EVALUATORS } from '../../../evaluators/registry.gen.ts'
import { type AnyRoute, defineRoute, type RouteDeps, type RouteRequest } from '../../route.ts'
import { evaluatorParams } from '../../wire/path-params.ts'
import { tellJudge } from './judge-headers.ts'

/** Nothing is configured, so the key inside an application may ask too: its guards use the key that sends its spans. */
export const EXECUTORS = ['ingest', 'write'] as const

/** How executing can fail besides bad input. */
export const EXECUTION_ERRORS = {
  413: 'The body is too large, or needs too much memory.',
  429: 'The budget for judges is spent.',
  502: 'The judge gave no verdict: it declined, or its answer could not be read.',
  503: 'No judge is configured, its provider is away, or too many evaluations are waiting.',
  504: 'The evaluation took too long.',
}

/** The body of a call of any evaluator, whose fields only that evaluator knows. */
export const anyCallFields = {
  input: z.looseObject({}).describe('The inputs of the evaluator.'),
  config: z.looseObject({}).optional().describe('Its settings.'),
}

type ExecuteRequest = Pick<
  RouteRequest<typeof EXECUTORS, unknown, unknown, Uint8Array>,
  'principal' | 'body' | 'signal' | 'setHeader'
>

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
    errors: EXECUTION_ERRORS,
    handle: (request, deps) => executeNamed(evaluator.slug, request, deps),
  }),
)

/** The same by id, and the only one for custom evaluators. */
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
  errors: { ...EXECUTION_ERRORS, 404: 'The organization knows no such evaluator.' },
  handle: (request, deps) => executeNamed(request.params.evaluator, request, deps),
})

async function executeNamed(
  name: string,
  { principal, body, signal, setHeader }: ExecuteRequest,
  { execute }: RouteDeps,
): Promise<Record<string, unknown>> {
  const answer = await execute(principal, name, body, signal)
  tellJudge(answer, setHeader)
  return answer.output
}

function bodyOf(evaluator: AnyEvaluator) {
  const hasRequired = !evaluator.config.safeParse({}).success
  return z.object({
    input: evaluator.input,
    config: hasRequired ? evaluator.config : evaluator.config.optional(),
  })
}
