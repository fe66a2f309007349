import * as z from 'zod'
import type { ModelUsage } from './judgement.ts'
import { type ModelRef, modelName } from './judgement.ts'
import builtIn from './model-prices.json' with { type: 'json' }

/** US dollars per million tokens, which is the same number as millionths of a dollar per token. */
export interface ModelPrice {
  readonly input: number
  readonly output: number
}

const price = z.strictObject({ input: z.number().min(0), output: z.number().min(0) })
const priceFile = z.record(z.string().regex(/^[a-z]+\/.+$/, 'a name like openai/gpt-4o'), price)

/** Bytes of text that make one token at least; texts of any language have more. Used where money is set aside. */
const BYTES_PER_TOKEN_MIN = 3
/** Tokens that an answer is expected to have at most, where the question does not say. */
export const COMPLETION_TOKENS_EXPECTED = 2_000

/** Reads a file of own prices, `{"openai/my-model": {"input": 1, "output": 2}}`; throws with what is wrong in it. */
export function parsePrices(text: string): Readonly<Record<string, ModelPrice>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error('the prices are not valid JSON')
  }
  const parsed = priceFile.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const fault = issue?.code === 'invalid_key' ? issue.issues[0]?.message : issue?.message
  throw new Error(`the prices are wrong at ${issue?.path.join('.') || 'the top'}: ${fault}`)
}

/** The prices of models. A model that is not listed has no price, which is not the same as being free. */
export class ModelPrices {
  readonly #prices: Readonly<Record<string, ModelPrice>>

  constructor(own: Readonly<Record<string, ModelPrice>> = {}) {
    this.#prices = { ...builtIn.prices, ...own }
  }

  /** Dated and `latest` names of a model cost what the model costs, unless they are listed themselves. */
  priceOf(model: ModelRef): ModelPrice | undefined {
    const name = modelName(model)
    const family = name.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest|\d{3})$/, '')
    return [name, family].flatMap((key) =>
      Object.hasOwn(this.#prices, key) ? [this.#prices[key] as ModelPrice] : [],
    )[0]
  }

  /** In millionths of a dollar, rounded up; undefined when the price or the number of tokens is not known. */
  costOf(model: ModelRef, { promptTokens, completionTokens }: ModelUsage): number | undefined {
    const found = this.priceOf(model)
    if (!found || promptTokens === undefined || completionTokens === undefined) return undefined
    return Math.ceil(promptTokens * found.input + completionTokens * found.output)
  }
}

/** How many tokens a text has at most, near enough to set money and a share of the rate aside for it. */
export function estimateTokens(texts: readonly string[]): number {
  let bytes = 0
  for (const text of texts) bytes += Buffer.byteLength(text)
  return Math.ceil(bytes / BYTES_PER_TOKEN_MIN)
}
