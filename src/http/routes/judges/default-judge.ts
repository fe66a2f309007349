import * as z from 'zod'
import { requireOrganizationAdmin } from '../../../control/administration.ts'
import { deleteDefaultJudge, putDefaultJudge } from '../../../control/default-judge.ts'
import { modelName } from '../../../domain/judgement.ts'
import { defineRoute } from '../../route.ts'
import { modelInput, providerInput } from '../evaluators/custom-evaluator-input.ts'

const TAG = 'Judges'
const PATH = '/v2/judges/default'

export const putDefaultJudgeRoute = defineRoute({
  method: 'PUT',
  path: PATH,
  operationId: 'putDefaultJudge',
  tag: TAG,
  summary: 'Choose the judge of the organization',
  description:
    'The model that judges for the organization. It is in use while a key for its provider is configured and no setting of the ' +
    'service names a judge: `GET /v2/judges` tells which one judges and why. Monitors go over to it.',
  access: 'admin',
  body: z.object({ provider: providerInput, model: modelInput }).meta({ id: 'DefaultJudgeInput' }),
  success: {
    status: 200,
    description: 'The choice was stored.',
    schema: z.object({ chosen_judge: z.string().describe('`provider/model`.') }).meta({ id: 'DefaultJudge' }),
  },
  async handle({ principal, body: { provider, model } }, deps) {
    requireOrganizationAdmin(principal)
    await putDefaultJudge(deps, principal, { provider, model })
    return { chosen_judge: modelName({ provider, model }) }
  },
})

export const deleteDefaultJudgeRoute = defineRoute({
  method: 'DELETE',
  path: PATH,
  operationId: 'deleteDefaultJudge',
  tag: TAG,
  summary: 'Take back the choice of a judge',
  access: 'admin',
  success: { status: 204, description: 'The organization has no choice of its own any more.' },
  errors: { 404: 'The organization has chosen no judge.' },
  async handle({ principal }, deps) {
    requireOrganizationAdmin(principal)
    await deleteDefaultJudge(deps, principal)
  },
})
