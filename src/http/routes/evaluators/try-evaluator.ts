import * as z from 'zod'
import { getCustomEvaluator } from '../../../control/custom-evaluators.ts'
import type { Principal } from '../../../domain/tenant.ts'
import type { VerdictRule } from '../../../domain/verdict.ts'
import { findBuiltIn } from '../../../evaluators/catalogue.ts'
import { defined } from '../../../lib/defined.ts'
import { defineRoute, type RouteDeps } from '../../route.ts'
import { evaluatorParams } from '../../wire/path-params.ts'
import { anyCallFields, EXECUTION_ERRORS, EXECUTORS } from './execute-evaluator.ts'
import { toWireTried, triedFields } from './tried-wire.ts'

export const tryEvaluatorRoute = defineRoute({
  method: 'POST',
  path: '/v2/evaluators/{evaluator}/try',
  operationId: 'tryEvaluator',
  tag: 'Evaluators',
  summary: 'Try an evaluator and see its verdict',
  description:
    'Executes any evaluator, by id or slug, and tells beside its answer the verdict by its own rule, the evidence, the judge and ' +
    'what that took. Nothing is stored; what it costs counts towards the budgets.',
  access: EXECUTORS,
  params: evaluatorParams,
  body: z.object(anyCallFields).meta({ id: 'EvaluatorTrialInput' }),
  success: {
    status: 200,
    description: 'The answer and its verdict.',
    schema: z.object(triedFields).meta({ id: 'TriedEvaluator' }),
  },
  errors: { ...EXECUTION_ERRORS, 404: 'The organization knows no such evaluator.' },
  async handle({ principal, params, body, signal }, deps) {
    const rule = await ruleOf(deps, principal, params.evaluator)
    const startedAt = performance.now()
    const call = { input: body.input, ...defined({ config: body.config }) }
    const answer = await deps.execute(principal, params.evaluator, call, signal)
    return toWireTried(answer, rule, performance.now() - startedAt)
  },
})

async function ruleOf(deps: RouteDeps, principal: Principal, name: string): Promise<VerdictRule> {
  return findBuiltIn(name)?.verdict ?? (await getCustomEvaluator(deps, principal, name)).verdict
}
