import * as z from 'zod'
import { notFound } from '../../../domain/errors.ts'
import type { Principal } from '../../../domain/tenant.ts'
import { findBuiltIn } from '../../../evaluators/catalogue.ts'
import { builtInGuardRule, customGuardRule, type GuardRule } from '../../../evaluators/kit/guard-rule.ts'
import { withSynonyms } from '../../../evaluators/kit/input-synonyms.ts'
import { defined } from '../../../lib/defined.ts'
import { type AnyRoute, defineRoute, type RouteDeps } from '../../route.ts'
import { evaluatorParams } from '../../wire/path-params.ts'
import { anyCallFields, EXECUTION_ERRORS, EXECUTORS } from './execute-evaluator.ts'
import { tellJudge } from './judge-headers.ts'

/** The second address is the one that the vendor's gateway used. */
export const executeGuardrailRoutes: readonly AnyRoute[] = [
  guard('/v2/guardrails/{evaluator}/execute', 'executeGuardrail', 'Let an evaluator guard'),
  guard('/v2/guardrails/execute/{evaluator}', 'executeGuardrailOldPath', 'Let an evaluator guard (old path)'),
]

function guard(path: `/${string}`, operationId: string, summary: string): AnyRoute {
  return defineRoute({
    method: 'POST',
    path,
    operationId,
    tag: 'Execute an evaluator',
    summary,
    description:
      'Any evaluator, by id or slug, with a verdict: `pass`. When each passes is in docs/guardrails.md. Inputs that the ' +
      'evaluator does not know are ignored, and one that is missing is taken from a synonym of its name, for example ' +
      '`text` from `completion`. A body has at most 2 MiB.',
    access: EXECUTORS,
    params: evaluatorParams,
    body: z.object(anyCallFields).meta({ id: 'GuardrailInput' }),
    success: {
      status: 200,
      description: "The evaluator's own answer, and whether it passes.",
      schema: z.object({ result: z.looseObject({}), pass: z.boolean() }).meta({ id: 'GuardrailResult' }),
    },
    errors: { ...EXECUTION_ERRORS, 404: 'The organization knows no such evaluator.' },
    async handle({ principal, params, body, signal, setHeader }, deps) {
      const { rule, inputs, isPromptPerplexity } = await find(deps, principal, params.evaluator)
      const call = {
        input: withSynonyms(inputs, body.input),
        ...defined({ config: body.config }),
      }
      const answer = await deps.execute(principal, params.evaluator, call, signal)
      tellJudge(answer, setHeader)
      const pass = rule.passes(answer.output)
      // The vendor's client looks for this field here and nowhere else, and fails without it.
      return { result: isPromptPerplexity ? { ...answer.output, is_valid: pass } : answer.output, pass }
    },
  })
}

async function find(
  { storage }: RouteDeps,
  principal: Principal,
  name: string,
): Promise<{ rule: GuardRule; inputs: readonly string[]; isPromptPerplexity: boolean }> {
  const builtIn = findBuiltIn(name)
  if (builtIn) {
    return {
      rule: builtInGuardRule(builtIn),
      inputs: Object.keys(builtIn.input.shape),
      isPromptPerplexity: builtIn.slug === 'prompt-perplexity',
    }
  }
  const custom = await storage.findCustomEvaluator(principal, name)
  if (!custom) throw notFound('evaluator not found')
  return {
    rule: customGuardRule(custom),
    inputs: custom.inputSchema.map((field) => field.name),
    isPromptPerplexity: false,
  }
}
