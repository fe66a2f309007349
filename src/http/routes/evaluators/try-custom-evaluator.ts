import * as z from 'zod'
import { unsavedEvaluator } from '../../../control/custom-evaluators.ts'
import { defineRoute } from '../../route.ts'
import { customEvaluatorInput, toDraft } from './custom-evaluator-input.ts'
import { EXECUTION_ERRORS } from './execute-evaluator.ts'
import { tellJudge } from './judge-headers.ts'

export const tryCustomEvaluatorRoute = defineRoute({
  method: 'POST',
  path: '/v2/evaluators/try',
  operationId: 'tryCustomEvaluator',
  tag: 'Evaluators',
  summary: 'Try a custom evaluator before it is stored',
  description:
    'Takes what creating takes, with the same checks, and an input; answers like executing. No evaluator ' +
    'is stored. What the call costs counts towards the budgets. Whether the slug is free is only found out when it is created.',
  access: 'write',
  body: customEvaluatorInput
    .extend({ input: z.looseObject({}).describe('The inputs of the evaluator.') })
    .meta({ id: 'CustomEvaluatorTrialInput' }),
  success: { status: 200, description: "The evaluator's own answer.", schema: z.looseObject({}) },
  errors: EXECUTION_ERRORS,
  async handle({ principal, body, signal, setHeader }, deps) {
    const evaluator = unsavedEvaluator(deps, toDraft(body))
    const answer = await deps.tryEvaluation(principal, evaluator, body.input, signal)
    tellJudge(answer, setHeader)
    return answer.output
  },
})
