import { type ModelRef, PROVIDERS, parseModelName } from '../domain/judgement.ts'
import type { ModelPrices } from '../domain/model-prices.ts'
import type { ModelUse, ModelUses } from '../domain/model-use.ts'
import { defined } from '../lib/defined.ts'

/** The costs of the models that were called, as far as they are known. */
export interface ModelCosts {
  /** In millionths of a dollar, of the calls whose tokens and price are known; absent where no call is such. */
  readonly costMicros?: number
  /** Calls whose cost is not known. */
  readonly unpricedCalls: number
}

/** Adds up what models cost. Without any call that is 0; with calls of unknown price it is not. */
export function costOfModels(prices: ModelPrices, uses: ModelUses): ModelCosts {
  let costMicros: number | undefined
  let unpricedCalls = 0
  for (const [model, use] of uses) {
    const cost = costOfModel(prices, model, use)
    if (cost === undefined) unpricedCalls += use.calls
    else {
      costMicros = (costMicros ?? 0) + cost
      unpricedCalls += use.calls - use.countedCalls
    }
  }
  if (uses.size === 0) costMicros = 0
  return { ...defined({ costMicros }), unpricedCalls }
}

function costOfModel(
  prices: ModelPrices,
  name: string,
  { countedCalls, promptTokens, completionTokens }: ModelUse,
): number | undefined {
  if (countedCalls === 0) return undefined
  for (const model of modelsOf(name)) {
    const cost = prices.costOf(model, { promptTokens, completionTokens })
    if (cost !== undefined) return cost
  }
  return undefined
}

/** Spans give a model without its provider more often than with it; the names of models are told apart without. */
function modelsOf(name: string): ModelRef[] {
  return [parseModelName(name), ...PROVIDERS.map((provider) => ({ provider, model: name }))]
}
