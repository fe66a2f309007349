import * as z from 'zod'
import { listCustomVersions } from '../../../control/custom-evaluators.ts'
import { defineRoute } from '../../route.ts'
import { evaluatorParams } from '../../wire/path-params.ts'
import { toWireVersion, versionsOutput } from './evaluator-wire.ts'

export const listEvaluatorVersionsRoute = defineRoute({
  method: 'GET',
  path: '/v2/evaluators/{evaluator}/versions',
  operationId: 'listEvaluatorVersions',
  tag: 'Evaluators',
  summary: 'List the versions of a custom evaluator',
  description: 'The oldest first. `GET /v2/evaluators/{evaluator}?version=` shows what one of them does.',
  access: 'read',
  params: evaluatorParams,
  success: { status: 200, description: 'The versions.', schema: z.object({ versions: versionsOutput }) },
  errors: { 404: 'The organization has no such evaluator.' },
  async handle({ principal, params }, deps) {
    const versions = await listCustomVersions(deps, principal, params.evaluator)
    return { versions: versions.map(toWireVersion) }
  },
})
