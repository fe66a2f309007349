import { notFound } from '../../domain/errors.ts'
import { findBuiltIn } from '../../evaluators/catalogue.ts'
import { defineRoute } from '../route.ts'
import { evaluatorDetailOutput, toWireBuiltIn, toWireCustom, withConfig } from '../wire/evaluator-wire.ts'
import { evaluatorParams } from '../wire/path-params.ts'

export const getEvaluatorRoute = defineRoute({
  method: 'GET',
  path: '/v2/evaluators/{evaluator}',
  operationId: 'getEvaluator',
  tag: 'Evaluators',
  summary: 'Read an evaluator',
  access: 'read',
  params: evaluatorParams,
  success: { status: 200, description: 'The evaluator.', schema: evaluatorDetailOutput },
  errors: { 404: 'The organization knows no such evaluator.' },
  async handle({ principal, params }, { storage }) {
    const builtIn = findBuiltIn(params.evaluator)
    if (builtIn) return withConfig(toWireBuiltIn(builtIn))
    const custom = (await storage.listCustomEvaluators(principal)).find(
      ({ slug, evaluatorId }) => slug === params.evaluator || evaluatorId === params.evaluator,
    )
    if (!custom) throw notFound('evaluator not found')
    return withConfig(toWireCustom(custom))
  },
})
