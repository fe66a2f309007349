import * as z from 'zod'
import { EVALUATORS } from '../../../evaluators/registry.gen.ts'
import { defineRoute } from '../../route.ts'
import { evaluatorOutput, toWireBuiltIn, toWireCustom } from './evaluator-wire.ts'

export const listEvaluatorsRoute = defineRoute({
  method: 'GET',
  path: '/v2/evaluators',
  operationId: 'listEvaluators',
  tag: 'Evaluators',
  summary: 'List evaluators',
  description: 'All built-in evaluators and those of the organization.',
  access: 'read',
  query: z.object({
    source: z.enum(['prebuilt', 'custom']).optional().describe('Only built-in or only custom evaluators.'),
  }),
  success: {
    status: 200,
    description: 'The evaluators.',
    schema: z.object({ evaluators: z.array(evaluatorOutput) }),
  },
  async handle({ principal, query }, { storage }) {
    const builtIn = query.source === 'custom' ? [] : EVALUATORS.map(toWireBuiltIn)
    const custom = query.source === 'prebuilt' ? [] : await storage.listCustomEvaluators(principal)
    return { evaluators: [...builtIn, ...custom.map(toWireCustom)] }
  },
})
