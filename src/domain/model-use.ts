/** The use of one model. */
export interface ModelUse {
  readonly calls: number
  /** Calls that ended with an error. */
  readonly errors: number
  /** Calls that told how many tokens they took; tokens are theirs alone. */
  readonly countedCalls: number
  readonly promptTokens: number
  readonly completionTokens: number
}

/** The use of models, by the name that spans give them. */
export type ModelUses = ReadonlyMap<string, ModelUse>

/** Models that are told apart within one trace. */
const MODELS_MAX = 50
/** Where the calls of further models are counted; it has no price. */
const OTHER_MODELS = '(other models)'

const NO_USE: ModelUse = { calls: 0, errors: 0, countedCalls: 0, promptTokens: 0, completionTokens: 0 }

/** Adds the use of one model to a collection that stays small, whatever models are called. */
export function addModelUse(uses: Map<string, ModelUse>, model: string, use: ModelUse): void {
  const name = uses.has(model) || uses.size < MODELS_MAX ? model : OTHER_MODELS
  uses.set(name, joinModelUse(uses.get(name) ?? NO_USE, use))
}

/** Both together. */
export function joinModelUse(left: ModelUse, right: ModelUse): ModelUse {
  return {
    calls: left.calls + right.calls,
    errors: left.errors + right.errors,
    countedCalls: left.countedCalls + right.countedCalls,
    promptTokens: left.promptTokens + right.promptTokens,
    completionTokens: left.completionTokens + right.completionTokens,
  }
}

/** All models together. */
export function totalUse(uses: ModelUses): ModelUse {
  return [...uses.values()].reduce(joinModelUse, NO_USE)
}
