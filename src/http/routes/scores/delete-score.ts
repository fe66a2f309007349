import * as z from 'zod'
import { notFound } from '../../../domain/errors.ts'
import { defineRoute } from '../../route.ts'
import { fromEvaluationId } from '../evaluations/evaluation-wire.ts'

export const deleteScoreRoute = defineRoute({
  method: 'DELETE',
  path: '/v2/scores/{id}',
  operationId: 'deleteScore',
  tag: 'Scores',
  summary: 'Delete an annotation',
  description: 'For one that was made by mistake. An answer in a review queue is withdrawn by it, too.',
  access: 'write',
  params: z.object({ id: z.string().describe('Id of the annotation, 16 hex digits.') }),
  success: { status: 204, description: 'The annotation is gone.' },
  errors: { 404: 'The project has no such annotation.' },
  async handle({ principal, params }, { storage }) {
    const number = fromEvaluationId(params.id)
    const isDeleted = number !== undefined && (await storage.deleteAnnotation(principal, number))
    if (!isDeleted) throw notFound('annotation not found')
  },
})
