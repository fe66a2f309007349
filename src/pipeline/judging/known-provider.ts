import type { KnownProvider, ProviderCondition } from '../../ports/judge.ts'
import type { ModelCaller } from './model-caller.ts'
import type { UsableProvider } from './provider-access.ts'
import type { ProviderLane } from './provider-lane.ts'

const WORST_FIRST: readonly ProviderCondition[] = ['failing', 'resting', 'ready']

/** How a provider is. One that was never called, or not lately, is taken to be ready. */
export function describeProvider(
  { provider, configuredBy, places }: UsableProvider,
  caller: Pick<ModelCaller, 'knownLane'>,
  orgId: string,
): KnownProvider {
  const lanes = places.flatMap((place) => caller.knownLane(provider, place) ?? [])
  const conditions = lanes.map(conditionOf)
  const calls = lanes.map((lane) => lane.callsOf(orgId))
  return {
    provider,
    configuredBy,
    condition: WORST_FIRST.find((condition) => conditions.includes(condition)) ?? 'ready',
    usedSlots: calls.reduce((sum, { used }) => sum + used, 0),
    waitingCalls: calls.reduce((sum, { waiting }) => sum + waiting, 0),
  }
}

function conditionOf({ breaker, pausedMs }: ProviderLane): ProviderCondition {
  if (breaker.state === 'open') return 'failing'
  return breaker.state === 'half-open' || pausedMs > 0 ? 'resting' : 'ready'
}
