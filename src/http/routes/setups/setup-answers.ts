import type { Setup } from '../../../domain/setup.ts'
import type { Principal } from '../../../domain/tenant.ts'
import { type KnownEvaluators, loadKnownEvaluators } from '../../../evaluators/known-evaluators.ts'
import type { RouteDeps } from '../../route.ts'
import { mentionedSlugs } from './setup-input.ts'
import { toWireSetup } from './setup-output.ts'

/** The evaluators that these bodies could mean. */
export function evaluatorsFor(
  deps: RouteDeps,
  principal: Principal,
  bodies: readonly unknown[],
): Promise<KnownEvaluators> {
  return loadKnownEvaluators(deps.storage, principal, bodies.flatMap(mentionedSlugs))
}

/** Setups in the form of the wire, with the schemas of their evaluators. */
export async function answerSetups(deps: RouteDeps, principal: Principal, setups: readonly Setup[]) {
  const slugs = setups.flatMap(({ entries }) => entries.map(({ slug }) => slug))
  const known = await loadKnownEvaluators(deps.storage, principal, slugs)
  return setups.map((setup) => toWireSetup(setup, known))
}

/** One setup in the form of the wire. */
export async function answerSetup(deps: RouteDeps, principal: Principal, setup: Setup) {
  const [answer] = await answerSetups(deps, principal, [setup])
  return answer
}
