import type { MessagePort } from 'node:worker_threads'
import type { EmbeddedUse } from '../../evaluators/embedded-judge.ts'
import type { OwnModels } from '../../ports/text-classifier.ts'
import { type FindEvaluator, PreparedMonitors, prepareAlone } from './prepared-monitors.ts'
import { scoreBatch, TaintedByUnit } from './score-batch.ts'
import { writeScores } from './scores-text.ts'
import type { Poison, ScoringJob, ScoringStart } from './scoring-job.ts'
import { ScoringPosition } from './scoring-position.ts'

/** A job on its way to a thread. */
export interface ThreadJob {
  readonly job: ScoringJob
  readonly start: ScoringStart
}

/** What a thread says: finished units, a bug of an evaluator, and at the end of a job whether it can take another. */
export type ThreadMessage =
  | 'ready'
  | { readonly part: string }
  | { readonly slug: string; readonly bug: string }
  | 'done'
  /** The job is not finished, but another project has its turn. */
  | 'paused'
  /** The thread cannot be trusted any more: it gets no further job. */
  | { readonly tainted: Required<Poison> }

/** What a thread is started with. */
export interface ThreadData extends SharedThreadData {
  readonly position: SharedArrayBuffer
}

/** What all scoring threads of a service are started with. */
export interface SharedThreadData {
  readonly ownModels?: OwnModels
  /** What the embedded judge may do in monitors; when absent, it scores where it is good. */
  readonly embeddedUse?: EmbeddedUse
}

/** The inside of a scoring thread: one job at a time, and nothing kept between jobs but prepared monitors and models. */
export function serveScoring(port: MessagePort, { position }: ThreadData, find: FindEvaluator): void {
  const monitors = new PreparedMonitors(find, prepareAlone)
  const here = new ScoringPosition(position)
  const say = (message: ThreadMessage) => port.postMessage(message)
  port.on('message', async ({ job, start }: ThreadJob) => {
    try {
      const isDone = await scoreBatch(job, monitors, {
        ...start,
        enter: (ordinal, work, budgetMs = 0) => here.enter(ordinal, work, budgetMs),
        get isWanted() {
          return here.isWanted
        },
        hand: (part) => say({ part: writeScores(part) }),
        report: (slug, error) => say({ slug, bug: (error instanceof Error && error.stack) || String(error) }),
      })
      say(isDone ? 'done' : 'paused')
    } catch (error) {
      // Anything else ends the thread, and the pool finds out by its position what it was about.
      if (!(error instanceof TaintedByUnit)) throw error
      say({ tainted: error.poison })
    }
  })
  say('ready')
}
