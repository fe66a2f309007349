import * as z from 'zod'
import { getCustomEvaluator } from '../../../control/custom-evaluators.ts'
import { notFound } from '../../../domain/errors.ts'
import { findBuiltIn, versionOf } from '../../../evaluators/catalogue.ts'
import { defineRoute } from '../../route.ts'
import { evaluatorParams } from '../../wire/path-params.ts'
import { evaluatorDetailOutput, toWireBuiltInDetail, toWireCustom } from './evaluator-wire.ts'

export const getEvaluatorRoute = defineRoute({
  method: 'GET',
  path: '/v2/evaluators/{evaluator}',
  operationId: 'getEvaluator',
  tag: 'Evaluators',
  summary: 'Read an evaluator',
  access: 'read',
  params: evaluatorParams,
  query: z.object({
    version: z
      .string()
      .optional()
      .describe('Number or id of a version of a custom evaluator; absent: the newest.'),
  }),
  success: { status: 200, description: 'The evaluator.', schema: evaluatorDetailOutput },
  errors: { 404: 'The organization knows no such evaluator.' },
  async handle({ principal, params, query }, deps) {
    const builtIn = findBuiltIn(params.evaluator)
    if (!builtIn)
      return toWireCustom(await getCustomEvaluator(deps, principal, params.evaluator, query.version))
    if (query.version !== undefined && query.version !== String(versionOf(builtIn)))
      throw notFound('evaluator not found')
    return toWireBuiltInDetail(builtIn)
  },
})
