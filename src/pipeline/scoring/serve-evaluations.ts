import type { MessagePort } from 'node:worker_threads'
import { type EmbeddedUse, withEmbeddedJudge, withoutJudge } from '../../evaluators/embedded-judge.ts'
import type { AnyEvaluator } from '../../evaluators/kit/define-evaluator.ts'
import { executeBody } from '../../evaluators/kit/execute-evaluator.ts'
import { TaintedThread } from '../../evaluators/kit/tainted-thread.ts'
import { defined } from '../../lib/defined.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { Judge } from '../../ports/judge.ts'
import type { OwnModels } from '../../ports/text-classifier.ts'
import type { ThreadAnswer, ThreadCall } from '../execute/evaluator-pool.ts'
import { evaluateWhole } from '../judging/evaluate-unit.ts'
import { prepareAny } from '../judging/judged-call.ts'
import type { EvaluatorSource, Evidence, UnitEnding, WholeUnit } from '../judging/judging-message.ts'
import { RemoteJudge } from '../judging/remote-judge.ts'
import { PreparedMonitors, prepareAlone } from './prepared-monitors.ts'
import { scoreBatch, TaintedByUnit } from './score-batch.ts'
import { writeScores } from './scores-text.ts'
import type { Poison, ScoringJob, ScoringStart } from './scoring-job.ts'
import { ScoringPosition } from './scoring-position.ts'

/** A job on its way to a thread. */
export interface ThreadJob {
  readonly job: ScoringJob
  readonly start: ScoringStart
}

/**
 * A message of a thread about a job: finished units, a bug of an evaluator, and at its end whether it can take another.
 */
export type ThreadMessage =
  | 'ready'
  | { readonly part: string }
  | { readonly slug: string; readonly bug: string }
  | 'done'
  /** The job is not finished, but another project has its turn. */
  | 'paused'
  /** The thread cannot be trusted any more: it gets no further job. */
  | { readonly tainted: Required<Poison> }

/** The answer of a thread about a trace or a session. */
export interface WholeAnswer {
  readonly ending: UnitEnding
  readonly evidence?: Evidence
  /** The unexpected error of an evaluator. */
  readonly bug?: string
  /** The thread cannot be trusted any more. */
  readonly isLast?: true
}

/** The data that a thread is started with. */
export interface ThreadData extends SharedThreadData {
  readonly position: SharedArrayBuffer
}

/** The data that all evaluating threads are started with. */
export interface SharedThreadData {
  readonly ownModels?: OwnModels
  /** The permitted use of the embedded judge in monitors; when absent, it scores where it is good. */
  readonly embeddedUse?: EmbeddedUse
}

/** The evaluator that a call or a monitor names. */
export type FindAny = (source: EvaluatorSource) => AnyEvaluator | undefined

/**
 * The inside of a thread that evaluates: calls, batches of spans, whole traces and sessions, one at a time. Nothing is kept
 * between them but prepared monitors, compiled patterns and models.
 */
export function serveEvaluations(port: MessagePort, data: ThreadData, find: FindAny): void {
  const embeddedUse = data.embeddedUse ?? 'scores when good'
  const monitors = new PreparedMonitors(({ evaluatorId }) => {
    const evaluator = find({ slug: evaluatorId })
    return evaluator && withEmbeddedJudge(evaluator, embeddedUse)
  }, prepareAlone)
  const wholeMonitors = new PreparedMonitors<Judge>(() => undefined, prepareAny(embeddedUse))
  const here = new ScoringPosition(data.position)
  const say = (message: ThreadMessage | ThreadAnswer | WholeAnswer) => port.postMessage(message)
  port.on('message', async (message: ThreadCall | ThreadJob | { whole: WholeUnit }) => {
    if ('job' in message) await serveJob(message, monitors, here, say)
    else if ('whole' in message) say(await answerWhole(message.whole, wholeMonitors, find))
    else say(await answerCall(message, find))
  })
  say('ready')
}

async function serveJob(
  { job, start }: ThreadJob,
  monitors: PreparedMonitors,
  here: ScoringPosition,
  say: (message: ThreadMessage) => void,
): Promise<void> {
  try {
    const isDone = await scoreBatch(job, monitors, {
      ...start,
      enter: (ordinal, work, budgetMs = 0) => here.enter(ordinal, work, budgetMs),
      get isWanted() {
        return here.isWanted
      },
      hand: (part) => say({ part: writeScores(part) }),
      report: (slug, error) => say({ slug, bug: bugOf(error) }),
    })
    say(isDone ? 'done' : 'paused')
  } catch (error) {
    // Anything else ends the thread, and the pool finds out by its position what it was about.
    if (!(error instanceof TaintedByUnit)) throw error
    say({ tainted: error.poison })
  }
}

async function answerCall({ slug, body, judge }: ThreadCall, find: FindAny): Promise<ThreadAnswer> {
  try {
    const evaluator = find({ slug })
    if (!evaluator) throw new Error(`unknown evaluator ${slug}`)
    return { answer: await executeBody(judgedBy(judge, evaluator), body) }
  } catch (error) {
    // A class does not survive the way between threads; what makes the error public does.
    if (error instanceof PublicError) {
      const refusal = { kind: error.kind, message: error.message }
      return error instanceof TaintedThread ? { refusal, isLast: true } : { refusal }
    }
    return { fault: error instanceof Error ? error : new Error(String(error)) }
  }
}

async function answerWhole(
  { version, evaluator, ...unit }: WholeUnit,
  monitors: PreparedMonitors<Judge>,
  find: FindAny,
): Promise<WholeAnswer> {
  const startedMs = performance.now()
  // It only keeps notes: an evaluator that asks a provider does not run here.
  const judge = new RemoteJudge(() => Promise.reject(new Error('there is nobody to ask in this thread')))
  const monitor = monitors.get(version, () => find(evaluator))
  let bug: string | undefined
  let isTainted = false
  const watched = {
    ...monitor,
    evaluate: (...given: Parameters<typeof monitor.evaluate>) =>
      monitor.evaluate(...given).catch((error) => {
        isTainted ||= error instanceof TaintedThread
        throw error
      }),
  }
  const ending = await evaluateWhole(unit, {
    monitor: watched,
    judge,
    startedMs,
    onBug(error) {
      bug = bugOf(error)
    },
  })
  return {
    ending,
    ...judge.noted(),
    ...defined({ bug }),
    ...(isTainted ? { isLast: true } : {}),
  }
}

function judgedBy(judge: ThreadCall['judge'], evaluator: AnyEvaluator): AnyEvaluator {
  if (judge === undefined) return evaluator
  return judge === 'embedded' ? withEmbeddedJudge(evaluator, 'answers') : withoutJudge(evaluator)
}

function bugOf(error: unknown): string {
  return (error instanceof Error && error.stack) || String(error)
}
