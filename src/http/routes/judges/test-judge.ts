import * as z from 'zod'
import { requireOrganizationAdmin } from '../../../control/administration.ts'
import { requireAddress } from '../../../control/provider-keys.ts'
import { PROVIDERS } from '../../../domain/judgement.ts'
import { defined } from '../../../lib/defined.ts'
import { invalidInput } from '../../../lib/public-error.ts'
import type { JudgeTest } from '../../../ports/judge.ts'
import { defineRoute } from '../../route.ts'
import { toUsd } from '../../wire/usd.ts'
import { modelInput } from '../evaluators/custom-evaluator-input.ts'
import { apiKeyInput, baseUrlInput } from './provider-keys.ts'

const testOutput = z
  .object({
    answered: z.boolean().describe('It gave the answer that it was asked for.'),
    problem: z.string().optional().describe('Why it did not, in words; absent where it did.'),
    duration_ms: z.number(),
    prompt_tokens: z.int().optional(),
    completion_tokens: z.int().optional(),
    cost_usd: z.number().optional().describe('Absent where the price is not known.'),
  })
  .meta({ id: 'JudgeTest' })

export const testJudgeRoute = defineRoute({
  method: 'POST',
  path: '/v2/judges/test',
  operationId: 'testJudge',
  tag: 'Judges',
  summary: 'Ask a judge one short question',
  description:
    'Finds out whether a model answers: with the key that is sent, which is not stored, or else with the one that the ' +
    'organization would use. It is asked once, for at most 20 seconds. The call counts towards the budgets of the project.',
  access: 'admin',
  body: z
    .object({
      provider: z.enum(PROVIDERS),
      model: modelInput,
      api_key: apiKeyInput.optional().describe('Absent: the key that is configured.'),
      base_url: baseUrlInput.optional(),
    })
    .meta({ id: 'JudgeTestInput' }),
  success: { status: 200, description: 'Whether it answered.', schema: testOutput },
  errors: { 429: 'Too many judges are being tested.' },
  async handle({ principal, body, signal }, { vault, testModel }) {
    requireOrganizationAdmin(principal)
    const { provider, model, api_key: apiKey, base_url: baseUrl } = body
    if (apiKey === undefined && baseUrl !== undefined)
      throw invalidInput('api_key is required beside base_url: a stored key is only sent to its own address')
    if (apiKey !== undefined) requireAddress(vault.baseUrls, provider, baseUrl)
    const access = apiKey === undefined ? undefined : { apiKey, ...defined({ baseUrl }) }
    const { orgId, projectId } = principal
    return toWireTest(await testModel({ orgId, projectId }, { provider, model }, access, signal))
  },
})

function toWireTest({ durationMs, promptTokens, completionTokens, costMicros, problem }: JudgeTest) {
  return {
    answered: problem === undefined,
    duration_ms: Math.round(durationMs),
    ...defined({ problem, prompt_tokens: promptTokens, completion_tokens: completionTokens }),
    ...(costMicros === undefined ? {} : { cost_usd: toUsd(costMicros) }),
  }
}
