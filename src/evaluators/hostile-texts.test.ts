import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HOSTILE_TEXTS } from '../../tests/support/hostile-texts.ts'
import type { AnyEvaluator } from './kit/define-evaluator.ts'
import { executeEvaluator } from './kit/execute-evaluator.ts'
import { EVALUATORS } from './registry.gen.ts'

/**
 * How much longer four times the text may take: linear work takes four times, quadratic sixteen. Times are of this thread's
 * processor, the shortest of several runs, so that a busy machine changes nothing.
 */
const RATIO_MAX = 9
const CHARS = 8_000
const GROWTH = 4
/** Below this a time says nothing; a quadratic evaluator is above it at some size that is tried. */
const TELLING_MS = 40
const RUNS = 3

/** Each window of a text costs them the same, whatever stands in it, and a thousand times what it costs the others. */
const NEURAL = [
  ...['prompt-injection', 'semantic-similarity', 'sexism-detector', 'tone-detection', 'toxicity-detector'],
]

const CONFIGS: Readonly<Record<string, object>> = {
  'regex-validator': { regex: '^[a-z0-9.]+@[a-z0-9.]+\\.com$' },
  'json-validator': { enable_schema_validation: true, schema_string: '{"type":"object","required":["a"]}' },
}

function inputOf({ slug, examples }: AnyEvaluator, text: string): object {
  const fields = Object.keys(examples[0]?.input ?? {})
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the evaluator's own placeholders look like this.
  if (slug === 'placeholder-regex') return { placeholder_name: 'x', placeholder_value: 'a ${x} b', text }
  // Where two texts are compared, they must not be alike: that is often a short cut.
  return Object.fromEntries(fields.map((field, at) => [field, at === 0 ? text : `${text.slice(1)}x`]))
}

async function cpuMs(evaluator: AnyEvaluator, text: string): Promise<number> {
  const input = inputOf(evaluator, text)
  const before = process.threadCpuUsage()
  // A refusal is an answer too; what counts is how long it takes.
  await executeEvaluator(evaluator, input, CONFIGS[evaluator.slug] ?? {}).catch(() => {})
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

async function shortest(evaluator: AnyEvaluator, text: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < RUNS; run++) least = Math.min(least, await cpuMs(evaluator, text))
  return least
}

describe('no evaluator takes more than its share of time for a longer hostile text:', () => {
  for (const evaluator of EVALUATORS.filter(({ slug, evaluate }) => evaluate && !NEURAL.includes(slug))) {
    test(evaluator.slug, async () => {
      await cpuMs(evaluator, 'warm-up')
      for (const { name, of } of HOSTILE_TEXTS) {
        const long = of(CHARS * GROWTH)
        // One run tells most of them; what seems slow is looked at more closely.
        if ((await cpuMs(evaluator, long)) < TELLING_MS) continue
        const longMs = await shortest(evaluator, long)
        if (longMs < TELLING_MS) continue
        const ratio = longMs / (await shortest(evaluator, of(CHARS)))
        assert.ok(
          ratio < RATIO_MAX,
          `${name}: ${GROWTH} times the text takes ${ratio.toFixed(1)} times as long`,
        )
      }
    })
  }
})
