import * as z from 'zod'
import { modelName } from '../../../domain/judgement.ts'
import { scoresEmbedded } from '../../../evaluators/embedded-judge.ts'
import type { AnyEvaluator } from '../../../evaluators/kit/define-evaluator.ts'
import { EVALUATORS } from '../../../evaluators/registry.gen.ts'
import type { KnownProvider } from '../../../ports/judge.ts'
import type { AboutService } from '../../about-service.ts'
import { defineRoute } from '../../route.ts'

const embeddedEvaluator = z.object({
  evaluator_type: z.string().describe('The slug of an evaluator that needs a judge.'),
  balanced_accuracy: z
    .number()
    .nullable()
    .describe('From 0 to 1 on held-out rows; null: unmeasured, or it cannot judge this at all.'),
  scores_in_monitors: z
    .boolean()
    .describe('Whether monitors of it get scores where nobody else judges for the organization.'),
})

const knownProvider = z.object({
  provider: z.string(),
  configured_by: z
    .enum(['operator', 'organization'])
    .describe("Whose key is used; the organization's own wins."),
  state: z
    .enum(['ready', 'failing', 'resting'])
    .describe(
      '`failing`: it failed too often and is not called for a while. `resting`: it asked to be left alone, or one call is ' +
        'finding out whether it is back.',
    ),
  used_slots: z.int().describe("The organization's calls that are under way."),
  waiting_calls: z.int().describe("The organization's calls that wait for a place."),
})

const judgesOutput = z
  .object({
    judge: z
      .string()
      .nullable()
      .describe('Who judges for the organization: `provider/model`, `embedded`, or null for nobody.'),
    source: z
      .enum(['environment', 'organization', 'provider_key', 'embedded'])
      .nullable()
      .describe(
        'Where that comes from: a setting of the service; the choice of the organization; the usual model of the only provider ' +
          'it has a key for; or `embedded`, because no provider is configured. Settings win over the choice.',
      ),
    chosen_judge: z
      .string()
      .nullable()
      .describe('The judge that the organization chose, in use or not; null: it chose none.'),
    secrets: z
      .object({
        source: z
          .enum(['environment', 'file'])
          .nullable()
          .describe(
            '`environment`: `ASSAY_SECRETS_KEY`. `file`: a file beside the database, made when it is needed.',
          ),
        problem: z
          .string()
          .nullable()
          .describe('Why no provider key can be stored, and what to do about it; null where one can.'),
      })
      .describe('The key that encrypts provider keys.'),
    base_urls: z
      .array(z.string())
      .describe('Addresses that the operator lets organizations name beside a provider key.'),
    embedded: z.object({
      mode: z
        .enum(['on', 'always', 'off'])
        .describe('`on`: monitors use it where it is good enough; `always`: everywhere.'),
      evaluators: z.array(embeddedEvaluator),
    }),
    providers: z.array(knownProvider).describe('Those the organization can use.'),
    privacy_gate: z
      .enum(['off', 'on', 'fail_closed'])
      .describe('Whether personal data is replaced in, or keeps back, what is sent to a provider.'),
  })
  .meta({ id: 'Judges' })

export const listJudgesRoute = defineRoute({
  method: 'GET',
  path: '/v2/judges',
  operationId: 'listJudges',
  tag: 'Judges',
  summary: 'Show who judges, and how the providers are',
  description:
    'What the process that answers knows: the states and calls of providers are those it has met itself, and other ' +
    'processes of the same service may have met others. No provider is called for it.',
  access: 'read',
  success: { status: 200, description: 'The judges.', schema: judgesOutput },
  async handle({ principal }, { about, storage, vault }): Promise<z.output<typeof judgesOutput>> {
    const [judge, providers, decided, chosen] = await Promise.all([
      about.judgeOf(principal),
      about.providersOf(principal),
      about.defaultJudgeOf(principal),
      storage.getDefaultJudge(principal),
    ])
    const { source = null, problem = null } = vault.secrets.state()
    return {
      judge: judge ?? null,
      source: decided?.source ?? (judge === undefined ? null : 'embedded'),
      chosen_judge: chosen ? modelName(chosen) : null,
      secrets: { source, problem },
      base_urls: [...vault.baseUrls],
      embedded: {
        mode: about.embeddedJudge,
        evaluators: EVALUATORS.filter(({ judging }) => judging).map((each) => toWireEmbedded(each, about)),
      },
      providers: providers.map(toWireProvider),
      privacy_gate: about.privacyGate,
    }
  },
})

function toWireEmbedded(
  evaluator: AnyEvaluator,
  { embeddedJudge }: AboutService,
): z.output<typeof embeddedEvaluator> {
  const { slug, judging } = evaluator
  const use = embeddedJudge === 'always' ? 'answers' : 'scores when good'
  return {
    evaluator_type: slug,
    balanced_accuracy: judging?.embeddedQuality?.balancedAccuracy ?? null,
    scores_in_monitors: embeddedJudge !== 'off' && scoresEmbedded(evaluator, use),
  }
}

function toWireProvider(known: KnownProvider): z.output<typeof knownProvider> {
  return {
    provider: known.provider,
    configured_by: known.configuredBy,
    state: known.condition,
    used_slots: known.usedSlots,
    waiting_calls: known.waitingCalls,
  }
}
