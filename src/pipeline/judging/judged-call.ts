import { parseModelName } from '../../domain/judgement.ts'
import { asksProvider } from '../../domain/monitor.ts'
import { type EmbeddedUse, withEmbeddedJudge } from '../../evaluators/embedded-judge.ts'
import type { AnyEvaluator } from '../../evaluators/kit/define-evaluator.ts'
import type { EvaluatorAnswer } from '../../evaluators/kit/execute-evaluator.ts'
import { parseInput } from '../../evaluators/kit/parse-input.ts'
import { parseStrictObject } from '../../lib/strict-json.ts'
import type { Judge } from '../../ports/judge.ts'
import { type PrepareRun, prepareAlone } from '../scoring/prepared-monitors.ts'
import type { EvaluatorCall } from './judging-message.ts'

/** An evaluator that asks a judge. */
export type JudgedEvaluator = AnyEvaluator & { judging: NonNullable<AnyEvaluator['judging']> }

/** Checks a call, judges it and checks the answer, like executeEvaluator does where no judge is needed. */
export async function judgeCall(
  evaluator: JudgedEvaluator,
  call: EvaluatorCall,
  judge: Judge,
): Promise<EvaluatorAnswer> {
  const { input, config } = call instanceof Uint8Array ? parseStrictObject(call) : call
  return judgeInput(
    evaluator,
    parseInput(evaluator.input, input, 'input'),
    parseInput(evaluator.config, config ?? {}, 'config'),
    judge,
  )
}

/** The same for values that were checked before. */
async function judgeInput(
  evaluator: JudgedEvaluator,
  input: unknown,
  config: unknown,
  judge: Judge,
): Promise<EvaluatorAnswer> {
  const model = evaluator.judging.modelOf?.(config)
  const asked = model === undefined ? judge : askingModel(judge, model)
  return evaluator.output.parse(await evaluator.judging.ask({ input, config, judge: asked }))
}

/** Runs an evaluator with a judge, in a monitor. */
export const prepareJudged: PrepareRun<Judge> = (evaluator) =>
  evaluator.judging &&
  ((input, config, judge) => judgeInput(evaluator as JudgedEvaluator, input, config, judge))

/** Runs any evaluator in a monitor that looks at more than one span: with its judge, the embedded one, or alone. */
export function prepareAny(use: EmbeddedUse): PrepareRun<Judge> {
  return (evaluator, version) => {
    if (evaluator.judging && asksProvider(version)) return prepareJudged(evaluator, version)
    const run = prepareAlone(withEmbeddedJudge(evaluator, use), version)
    return run && ((input, config) => run(input, config, undefined))
  }
}

function askingModel(judge: Judge, name: string): Judge {
  const model = parseModelName(name)
  return {
    ask: (question) => judge.ask({ model, ...question }),
    generate: (prompt, replaced) => judge.generate(prompt, replaced),
    note: (what, evidence) => judge.note(what, evidence),
  }
}
