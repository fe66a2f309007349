import { openControl } from '../src/app/open-core.ts'
import { openExecution } from '../src/app/open-execution.ts'
import { readConfig } from '../src/config.ts'
import type { CustomEvaluator } from '../src/domain/custom-evaluator.ts'
import { customEvaluatorOf } from '../src/evaluators/kit/custom-evaluator.ts'
import type { AnyEvaluator } from '../src/evaluators/kit/define-evaluator.ts'
import { NEUTRAL } from '../src/evaluators/kit/verdict-rule.ts'
import { customEvaluatorInput, toDraft } from '../src/http/routes/evaluators/custom-evaluator-input.ts'
import { NO_COUNTERS } from '../src/pipeline/judging/judge-counters.ts'
import type { JudgeDesk, JudgePayer } from '../src/ports/judge.ts'
import { newPayer } from '../tests/support/judge-desk.ts'
import { recordingLogger } from '../tests/support/recording-logger.ts'
import { MODEL } from './judge-contestant.ts'
import { SCORE_EVALUATOR, scoreInput } from './judge-ours.ts'

const MODEL_REF = { provider: 'openai', model: MODEL }

/** The same evaluator that is made over HTTP, where there is no HTTP. */
const SCORE: CustomEvaluator = {
  evaluatorId: 'bench',
  slug: 'bench',
  name: 'Correctness',
  description: '',
  versionId: 'bench',
  version: 1,
  verdict: NEUTRAL,
  createdAtMs: 0,
  updatedAtMs: 0,
  ...toDraft(customEvaluatorInput.parse(SCORE_EVALUATOR)).definition,
}

const EVALUATOR = customEvaluatorOf(SCORE).judging as NonNullable<AnyEvaluator['judging']>

/** Our judge without the service: the desk that asks, and an evaluator that runs in the judging thread and asks it. */
export interface BenchDesk {
  ask(text: string): Promise<unknown>
  evaluate(text: string): Promise<unknown>
  close(): Promise<void>
}

/** Puts it together as the service does, over a store of its own. */
export async function openBenchDesk(dataDir: string, baseUrl: string): Promise<BenchDesk> {
  const { config } = readConfig({
    ASSAY_DATA_DIR: dataDir,
    OPENAI_BASE_URL: baseUrl,
    ASSAY_JUDGE_MODEL: MODEL,
  })
  const { storage } = await openControl(config)
  const { judges, close } = openExecution(config, {
    storage,
    logger: recordingLogger([]),
    counters: NO_COUNTERS,
    prices: undefined,
    ownModels: undefined,
    openKey: () => {
      throw new Error('no organization has a key here')
    },
  })
  // Two organizations, so that neither finds answers that the other has paid for.
  const [asking, evaluating] = [await newPayer(storage, 'asking'), await newPayer(storage, 'evaluating')]
  return {
    ask: (text) => askDesk(judges.desk, asking, text),
    evaluate: (text) =>
      judges.pool.execute(
        { custom: SCORE },
        { input: scoreInput(text) },
        { payer: evaluating, model: MODEL_REF },
        patience(),
      ),
    async close() {
      await close()
      await storage.close()
    },
  }
}

/** The question of the evaluator, asked without its thread. */
function askDesk(desk: JudgeDesk, payer: JudgePayer, text: string): Promise<unknown> {
  const judge = desk.open(payer, MODEL_REF, patience())
  return EVALUATOR.ask({ input: scoreInput(text), config: {}, judge })
}

function patience(): AbortSignal {
  return new AbortController().signal
}
