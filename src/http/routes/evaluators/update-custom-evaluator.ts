import * as z from 'zod'
import { updateCustomEvaluator } from '../../../control/custom-evaluators.ts'
import { defineRoute } from '../../route.ts'
import { evaluatorParams } from '../../wire/path-params.ts'
import { customEvaluatorUpdateInput, toCustomChange } from './custom-evaluator-input.ts'
import { evaluatorDetailOutput, toWireCustom, toWireVersion, versionsOutput } from './evaluator-wire.ts'

export const updateCustomEvaluatorRoute = defineRoute({
  method: 'PATCH',
  path: '/v2/evaluators/{evaluator}',
  operationId: 'updateCustomEvaluator',
  tag: 'Evaluators',
  summary: 'Change a custom evaluator',
  description:
    'What is given replaces, the rest stays. A change of what it does makes a new version, which setups use from then ' +
    'on; results keep the version that made them. A new name or description makes none.',
  access: 'write',
  params: evaluatorParams,
  body: customEvaluatorUpdateInput,
  success: {
    status: 200,
    description: 'The evaluator as it is now, and its versions, the oldest first.',
    schema: z
      .object({
        evaluator: evaluatorDetailOutput,
        versions: versionsOutput,
      })
      .meta({ id: 'CustomEvaluatorUpdated' }),
  },
  errors: { 404: 'The organization has no such evaluator.' },
  async handle({ principal, params, body }, deps) {
    const { evaluator, versions } = await updateCustomEvaluator(
      deps,
      principal,
      params.evaluator,
      (current) => toCustomChange(body, current),
    )
    return { evaluator: toWireCustom(evaluator), versions: versions.map(toWireVersion) }
  },
})
