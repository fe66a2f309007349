import { notFound } from '../../../domain/errors.ts'
import { showInput } from '../../../query/show-input.ts'
import { defineRoute } from '../../route.ts'
import { evaluationParams } from '../../wire/path-params.ts'
import { evaluationDetailOutput, fromEvaluationId, toWireEvaluationDetail } from './evaluation-wire.ts'

export const getEvaluationRoute = defineRoute({
  method: 'GET',
  path: '/v2/evaluations/{id}',
  operationId: 'getEvaluation',
  tag: 'Results',
  summary: 'Read a result',
  description:
    'With its input, which is read again from the stored spans, and with what decided it. Superseded results, too.',
  access: 'read',
  params: evaluationParams,
  success: { status: 200, description: 'The result.', schema: evaluationDetailOutput },
  errors: { 404: 'The project has no such result.' },
  async handle({ principal, params }, { storage }) {
    const number = fromEvaluationId(params.id)
    const detail = number === undefined ? undefined : await storage.getEvaluation(principal, number)
    if (!detail) throw notFound('evaluation not found')
    return toWireEvaluationDetail(detail, await showInput(storage, principal, detail))
  },
})
