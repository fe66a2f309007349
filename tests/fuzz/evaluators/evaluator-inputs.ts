import type { AnyEvaluator } from '../../../src/evaluators/kit/define-evaluator.ts'
import { EVALUATORS } from '../../../src/evaluators/registry.gen.ts'
import type { Random } from '../../otlp/random-traces.ts'
import { HOSTILE_TEXTS, hostileValue } from '../hostile-values.ts'
import { UNITS } from './repeated-units.ts'

/** A call of an evaluator, or a text that is made longer and longer to see how the time grows. */
export interface EvaluatorInput {
  readonly slug: string
  readonly input: Readonly<Record<string, unknown>>
  readonly config?: Readonly<Record<string, unknown>>
  /** The field whose text is `prefix`, `unit` as often as it takes, `suffix`; absent: the call is made once as it is. */
  readonly growth?: {
    readonly field: string
    readonly prefix: string
    readonly unit: string
    readonly suffix: string
  }
}

/** One input in so many looks at growth, which takes several calls. */
const GROWTH_ONE_IN = 100
const CALL_CHARACTERS_MAX = 2_000
/** Evaluators that run a model take a hundred times as long; one input in so many goes to them, and is shorter. */
const MODEL_ONE_IN = 15
const MODEL_CHARACTERS_MAX = 300
const FAST_DETECTORS = new Set([
  'pii-detector',
  'profanity-detector',
  'prompt-perplexity',
  'secrets-detector',
])
const [fast, slow] = [true, false].map((isFast) =>
  EVALUATORS.filter(({ method, slug }) => (method === 'exact' || FAST_DETECTORS.has(slug)) === isFast),
) as [AnyEvaluator[], AnyEvaluator[]]

/** Hostile text for an evaluator, or hostile values in place of what it expects. */
export function makeEvaluatorInput(random: Random): EvaluatorInput {
  const isModel = random.chance(MODEL_ONE_IN)
  const { slug, examples } = random.pick(isModel ? slow : fast)
  const charactersMax = isModel ? MODEL_CHARACTERS_MAX : CALL_CHARACTERS_MAX
  const { input, config } = structuredClone(random.pick(examples)) as Pick<EvaluatorInput, 'input' | 'config'>
  const settings = config === undefined ? {} : { config }
  const texts = Object.keys(input).filter((name) => typeof input[name] === 'string')
  if (texts.length > 0 && random.chance(GROWTH_ONE_IN)) {
    const field = random.pick(texts)
    return { slug, input, ...settings, growth: { field, ...growingText(random, String(input[field])) } }
  }
  const field = random.pick(Object.keys(input))
  const value = random.chance(4) ? hostileValue(random) : hostileText(random, input[field], charactersMax)
  const changed = { ...input, [field]: value }
  if (config === undefined || !random.chance(3)) return { slug, input: changed, ...settings }
  const setting = random.pick([...Object.keys(config), 'threshold'])
  return {
    slug,
    input: changed,
    config: {
      ...config,
      [setting]: random.chance(2) ? hostileText(random, '', charactersMax) : hostileValue(random),
    },
  }
}

function growingText(random: Random, example: string): { prefix: string; unit: string; suffix: string } {
  const unit = Array.from({ length: 1 + random.below(3) }, () => random.pick(UNITS)).join('')
  const edge = () => (random.chance(2) ? '' : random.pick(UNITS))
  return { prefix: random.chance(3) ? example : edge(), unit, suffix: edge() }
}

function hostileText(random: Random, example: unknown, charactersMax: number): string {
  if (random.chance(4)) return random.pick(HOSTILE_TEXTS).slice(0, charactersMax)
  if (random.chance(3)) {
    const text = typeof example === 'string' ? example : JSON.stringify(example)
    const at = random.below(text.length + 1)
    return text.slice(0, at) + random.pick(UNITS) + text.slice(at + random.below(3))
  }
  let text = ''
  for (let pieces = 1 + random.below(60); pieces > 0 && text.length < charactersMax; pieces--)
    text += random.pick(UNITS).repeat(random.chance(5) ? 1 + random.below(40) : 1)
  return text.slice(0, charactersMax)
}

/** The body of an execute request whose growing field has about so many characters. */
export function bodyOf({ input, config, growth }: EvaluatorInput, characters: number): string {
  if (!growth) return JSON.stringify({ input, config })
  const { field, prefix, unit, suffix } = growth
  const text = prefix + unit.repeat(Math.ceil(characters / unit.length)) + suffix
  return JSON.stringify({ input: { ...input, [field]: text }, config })
}
