import * as z from 'zod'
import { createCustomEvaluator } from '../../../control/custom-evaluators.ts'
import { type AnyRoute, defineRoute } from '../../route.ts'
import { customEvaluatorInput, toDraft } from './custom-evaluator-input.ts'
import { CUSTOM_TYPE } from './evaluator-wire.ts'

/** The second address is the one that clients used until April 2026. */
export const createCustomEvaluatorRoutes: readonly AnyRoute[] = [
  create('/v2/evaluators', 'createCustomEvaluator', 'Create a custom evaluator'),
  create(
    '/v2/evaluators/custom-evaluator',
    'createCustomEvaluatorOldPath',
    'Create a custom evaluator (old path)',
  ),
]

function create(path: `/${string}`, operationId: string, summary: string): AnyRoute {
  return defineRoute({
    method: 'POST',
    path,
    operationId,
    tag: 'Evaluators',
    summary,
    description:
      'A language model that judges by your own words. It belongs to the organization and can be run by id or slug, ' +
      'and named in setups. No provider needs to be configured to create one.',
    access: 'write',
    body: customEvaluatorInput,
    success: {
      status: 200,
      description: 'The evaluator was stored.',
      schema: z
        .object({
          evaluator_id: z.string(),
          version_id: z.string(),
          slug: z.string(),
          type: z.literal(CUSTOM_TYPE),
          bindings: z.array(z.string()).describe('Always empty: it belongs to the whole organization.'),
        })
        .meta({ id: 'CustomEvaluatorCreated' }),
    },
    async handle({ principal, body }, deps) {
      const evaluator = await createCustomEvaluator(deps, principal, toDraft(body))
      return {
        evaluator_id: evaluator.evaluatorId,
        version_id: evaluator.versionId,
        slug: evaluator.slug,
        type: CUSTOM_TYPE,
        bindings: [],
      }
    },
  })
}
