import type { EvaluationOutput } from '../../domain/evaluation.ts'
import type { MonitorVersion } from '../../domain/monitor.ts'
import type { SkippedSpans } from '../../domain/span-role.ts'
import type { AnyEvaluator } from '../../evaluators/kit/define-evaluator.ts'
import { firstFault, parseInput } from '../../evaluators/kit/parse-input.ts'
import { compileSpanInputs, placeInWords, type ReadableSpan } from '../../evaluators/kit/span-inputs.ts'
import { timeBudgetMs } from '../../evaluators/kit/time-budget.ts'
import { defined } from '../../lib/defined.ts'
import { RegexSyntaxError } from '../../lib/safe-regex/safe-regex.ts'

/** Monitor versions that are kept ready; the one that was not used for the longest time goes first. */
const KEPT_MAX = 1_000

/** The evaluator of a monitor. */
export type FindEvaluator = (version: MonitorVersion) => AnyEvaluator | undefined

/** How an evaluator is run on values that were checked, with what its run needs besides; undefined: it cannot be run. */
export type PrepareRun<Aid> = (
  evaluator: AnyEvaluator,
  version: MonitorVersion,
) => ((input: unknown, config: unknown, aid: Aid) => Promise<EvaluationOutput>) | undefined

/** The result of evaluating a span: the output, or the inputs that it does not carry, in words. */
export type Answer = { readonly output: EvaluationOutput } | { readonly missing: string }

/** A monitor version ready to run: patterns compiled, config checked. */
export interface PreparedMonitor<Aid = undefined> {
  readonly samplingRate: number
  readonly skips?: SkippedSpans
  /** How long a span of so many bytes may take; undefined where only the general limit holds. */
  budgetMs?(spanBytes: number): number | undefined
  /** Why no span can be evaluated with it; undefined when they can. */
  readonly fault?: string
  /** Throws what the evaluator throws; a PublicError is about the input. */
  evaluate(from: ReadableSpan, aid: Aid): Promise<Answer>
}

/** Makes monitor versions ready, each once. Versions are immutable, so their number says everything. */
export class PreparedMonitors<Aid = undefined> {
  readonly #find: FindEvaluator
  readonly #prepareRun: PrepareRun<Aid>
  readonly #keptMax: number
  readonly #kept = new Map<number, PreparedMonitor<Aid>>()

  constructor(find: FindEvaluator, prepareRun: PrepareRun<Aid>, keptMax = KEPT_MAX) {
    this.#find = find
    this.#prepareRun = prepareRun
    this.#keptMax = keptMax
  }

  /** `find` is for evaluators that come along with the work. */
  get(version: MonitorVersion, find: FindEvaluator = this.#find): PreparedMonitor<Aid> {
    const monitor = this.#kept.get(version.number) ?? prepare(version, find(version), this.#prepareRun)
    this.#kept.delete(version.number)
    this.#kept.set(version.number, monitor)
    if (this.#kept.size > this.#keptMax) this.#kept.delete(this.#kept.keys().next().value as number)
    return monitor
  }
}

/** Runs an evaluator that needs no judge. */
export const prepareAlone: PrepareRun<undefined> = (evaluator) => {
  const { evaluate } = evaluator
  return evaluate && (async (input, config) => evaluator.output.parse(await evaluate({ input, config })))
}

function prepare<Aid>(
  version: MonitorVersion,
  evaluator: AnyEvaluator | undefined,
  prepareRun: PrepareRun<Aid>,
): PreparedMonitor<Aid> {
  const { slug, samplingRate, skips, evaluatorVersion } = version
  const unable = (fault: string): PreparedMonitor<Aid> => ({
    samplingRate,
    ...defined({ skips }),
    fault,
    evaluate: () => Promise.reject(new Error(fault)),
  })
  const run = evaluator && prepareRun(evaluator, version)
  if (!run) return unable(`evaluator ${slug} cannot run in this version of the service`)
  const ours = evaluator.version ?? 1
  // Scores of two versions of an evaluator must not come into one series.
  if (evaluatorVersion !== ours) {
    return unable(
      `this monitor was bound to version ${evaluatorVersion} of ${slug}, and version ${ours} is here`,
    )
  }
  const config = firstFault(evaluator.config, version.config, 'config')
  if ('message' in config) return unable(config.message)
  try {
    return {
      samplingRate,
      ...defined({ skips }),
      budgetMs: (spanBytes) => timeBudgetMs(evaluator, spanBytes),
      evaluate: evaluatorCall(evaluator, version, config.value, run),
    }
  } catch (error) {
    if (error instanceof RegexSyntaxError)
      return unable(`a regex of the mapping is not valid: ${error.message}`)
    throw error
  }
}

/** Like executeEvaluator, but the config is checked once and the input comes from a span. */
function evaluatorCall<Aid>(
  evaluator: AnyEvaluator,
  { mapping }: MonitorVersion,
  config: unknown,
  run: NonNullable<ReturnType<PrepareRun<Aid>>>,
): PreparedMonitor<Aid>['evaluate'] {
  const inputs = compileSpanInputs(evaluator, mapping)
  return async (from, aid) => {
    const given = inputs.read(from)
    if ('missing' in given) {
      const places = given.missing.map((name) => {
        const place = mapping[name]
        return place ? `${name} (${placeInWords(place)})` : name
      })
      return { missing: places.join(', ') }
    }
    const input = parseInput(evaluator.input, given.input, 'input')
    return { output: await run(input, config, aid) }
  }
}
