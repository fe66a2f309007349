import type { Worker } from 'node:worker_threads'
import type { UnitOutcome } from '../../domain/evaluation.ts'
import { type Judgement, type ModelRef, NOBODY_ASKED } from '../../domain/judgement.ts'
import type { EvaluatorAnswer } from '../../evaluators/kit/execute-evaluator.ts'
import { defined } from '../../lib/defined.ts'
import { FairRoom } from '../../lib/fair-room.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { StartThread } from '../../lib/threads/start-thread.ts'
import { LOAD_MS_MAX, ThreadLost } from '../../lib/threads/thread-call.ts'
import type { SpanContent } from '../../ports/content-storage.ts'
import type { Consultation, JudgeDesk, JudgePayer } from '../../ports/judge.ts'
import type { Logger } from '../../ports/logger.ts'
import type { StoredBatch } from '../../ports/span-storage.ts'
import { ownedBytes } from '../ingest/owned-bytes.ts'
import { carryError, uncarryError } from './carry-error.ts'
import type {
  EvaluationPlace,
  EvaluatorCall,
  EvaluatorSource,
  Evidence,
  FromJudgingThread,
  JudgingThreadData,
  JudgingWork,
  PutOff,
  ToJudgingThread,
  UnitIds,
  WholeUnit,
} from './judging-message.ts'

/** How much judging may use. */
export interface JudgingLimits {
  /** Longest time that one evaluation may take, all its questions and waits together. */
  readonly evaluationMsMax: number
  /** Calls that may be under way; one more is refused, unless its project has less than its share. */
  readonly callsMax: number
  /** A thread that says nothing for so long is given up. */
  readonly silentMsMax: number
  readonly heapMbMax: number
}

/** The judge of an evaluation and the organization that pays. */
export interface JudgeChoice {
  readonly payer: JudgePayer
  readonly model: ModelRef
}

/** The answer of an evaluator that asked a judge. */
export interface JudgedAnswer {
  readonly output: EvaluatorAnswer
  readonly judgement: Judgement
}

/** The work of one batch, and who judges it. */
export interface JudgingJob {
  readonly batch: StoredBatch
  readonly works: readonly (JudgingWork & JudgeChoice)[]
  readonly unitsAtOnce: number
  /** Log events that belong to spans of the batch. */
  readonly contents?: readonly SpanContent[]
}

/** Reports the units of a job as they end; each unit is reported once. `work` is a place among the job's works. */
export interface JudgingWatch {
  onOutcome(work: number, outcome: UnitOutcome): void
  onSampledOut(work: number, ordinal: number): void
  /** The unit is a span that the monitor skips. */
  onSkipped?(work: number, ordinal: number): void
  /** The judge could not be reached: the unit has to be tried again. */
  onPutOff(work: number, ids: UnitIds, why: PutOff): void
  /** The unit has no span and never will. */
  onLost(work: number, ordinal: number, why: string): void
  /** A trace has to wait for more of its spans. */
  onNotReady?(why: string): void
}

/** The end of a trace or a session. */
export type WholeEnding =
  | { readonly outcome: UnitOutcome }
  | { readonly putOff: PutOff }
  | { readonly lost: string }
  | { readonly sampledOut: true }
  | { readonly notReady: string }

/** The thread ended under a job. Units that were begun and not finished are in `begun`: one of them is to blame. */
export class JudgingThreadLost extends ThreadLost {
  override readonly name = 'JudgingThreadLost'
  readonly begun: readonly { readonly work: number; readonly ids: UnitIds }[]

  constructor(what: string, begun: JudgingThreadLost['begun'] = []) {
    super(`the judging thread ${what}`)
    this.begun = begun
  }
}

const PING_MS = 1_000

interface OpenCall {
  readonly choiceOf: (work: number) => JudgeChoice
  readonly consultations: Map<string, { consultation: Consultation; stop: () => void }>
  /** Aborts when no caller waits for the call any more. */
  readonly signal: AbortSignal
  readonly begun: Map<string, { work: number; ids: UnitIds }>
  readonly watch?: JudgingWatch
  resolve(answer?: JudgedAnswer): void
  reject(error: Error): void
}

/**
 * The thread that runs judged evaluators, seen from the side that has the judges. It starts when it is first needed. A
 * thread that dies or falls silent is replaced; what was under way in it is rejected with `JudgingThreadLost`.
 */
export class JudgingPool {
  readonly #startThread: StartThread
  readonly #desk: JudgeDesk
  readonly #limits: JudgingLimits
  readonly #logger: Logger
  readonly #data: JudgingThreadData
  readonly #calls = new Map<number, OpenCall>()
  /** Execute calls under way, by project. */
  readonly #executing: FairRoom<string>
  #thread: Worker | undefined
  #watchdog: NodeJS.Timeout | undefined
  #heardMs = 0
  #isLoaded = false
  #lastCall = 0
  #isClosed = false

  constructor(
    startThread: StartThread,
    desk: JudgeDesk,
    limits: JudgingLimits,
    logger: Logger,
    data: JudgingThreadData = { privacy: 'off' },
  ) {
    this.#startThread = startThread
    this.#desk = desk
    this.#limits = limits
    this.#executing = new FairRoom(limits.callsMax)
    this.#logger = logger
    this.#data = data
  }

  /** Runs an evaluator on a call. */
  execute(
    evaluator: EvaluatorSource,
    body: EvaluatorCall,
    choice: JudgeChoice,
    signal: AbortSignal,
  ): Promise<JudgedAnswer> {
    return new Promise((resolve, reject) => {
      const tenant = choice.payer.projectId
      if (!this.#executing.has(tenant, 1)) {
        reject(new PublicError('unavailable', 'too many evaluations are waiting; try again'))
        return
      }
      this.#executing.take(tenant, 1)
      const leave = () => this.#executing.leave(tenant, 1)
      this.#begin((call) => ({ kind: 'execute', call, evaluator, body }), {
        choiceOf: () => choice,
        signal,
        resolve: (answer) => {
          leave()
          resolve(answer as JudgedAnswer)
        },
        reject: (error) => {
          leave()
          reject(error)
        },
      })
    })
  }

  /** Judges the spans of a batch; resolves when each unit was told to the watch, or when the signal aborts. */
  score(
    { batch, works, unitsAtOnce, contents = [] }: JudgingJob,
    watch: JudgingWatch,
    signal: AbortSignal,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const choices = works.map(({ payer, model }) => ({ payer, model }))
      const bare = works.map(({ version, evaluator, units }) => ({ version, evaluator, units }))
      this.#begin(
        (call) => ({
          kind: 'score',
          call,
          batch: { ...batch, bytes: ownedBytes(batch.bytes) },
          works: bare,
          unitsAtOnce,
          contents,
        }),
        { choiceOf: (work) => choices[work] as JudgeChoice, signal, watch, resolve: () => resolve(), reject },
      )
    })
  }

  /** Evaluates a trace or a session as a whole. */
  async scoreWhole(unit: WholeUnit, choice: JudgeChoice, signal: AbortSignal): Promise<WholeEnding> {
    const told: WholeEnding[] = []
    const watch: JudgingWatch = {
      onOutcome: (_work, outcome) => told.push({ outcome }),
      onSampledOut: () => told.push({ sampledOut: true }),
      onPutOff: (_work, _ids, putOff) => told.push({ putOff }),
      onLost: (_work, _ordinal, lost) => told.push({ lost }),
      onNotReady: (notReady) => told.push({ notReady }),
    }
    const parts = unit.parts.map(({ batch, ordinals }) => ({
      batch: { ...batch, bytes: ownedBytes(batch.bytes) },
      ordinals,
    }))
    await new Promise<void>((resolve, reject) => {
      this.#begin((call) => ({ kind: 'score whole', call, ...unit, parts }), {
        ...{ choiceOf: () => choice, signal, watch, resolve: () => resolve(), reject },
      })
    })
    const [ending] = told
    if (!ending) throw new Error('a unit came to no end')
    return ending
  }

  /** Ends the thread; what is under way is refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#lose(new PublicError('unavailable', 'the service is shutting down'))
  }

  #begin(message: (call: number) => ToJudgingThread, open: Omit<OpenCall, 'consultations' | 'begun'>): void {
    if (this.#isClosed) {
      open.reject(new PublicError('unavailable', 'the service is shutting down'))
      return
    }
    const call = ++this.#lastCall
    this.#calls.set(call, { ...open, consultations: new Map(), begun: new Map() })
    open.signal.addEventListener('abort', () => this.#abandon(call), { once: true })
    this.#tell(message(call))
  }

  #abandon(call: number): void {
    const open = this.#calls.get(call)
    if (!open) return
    this.#tell({ kind: 'abandon', call })
    for (const { stop } of open.consultations.values()) stop()
    // An execute call has no caller left to answer; a job ends by itself when its units do.
    if (!open.watch) this.#end(call)?.reject(new PublicError('deadline', 'the call was given up'))
  }

  #tell(message: ToJudgingThread): void {
    this.#thread ??= this.#start()
    this.#thread.postMessage(message)
  }

  #start(): Worker {
    const thread = this.#startThread(import.meta.url, 'judging-thread', this.#data, this.#limits)
    this.#heardMs = performance.now()
    this.#isLoaded = false
    const isCurrent = () => this.#thread === thread
    thread.on('message', (message: FromJudgingThread) => isCurrent() && this.#take(message))
    thread.on('error', (error) => {
      this.#logger.error({ err: error }, 'the judging thread failed')
      if (isCurrent()) void this.#lose(new JudgingThreadLost('failed'))
    })
    thread.once('exit', () => isCurrent() && void this.#lose(new JudgingThreadLost('ended')))
    this.#watchdog = setInterval(() => this.#look(), PING_MS)
    this.#watchdog.unref()
    return thread
  }

  #look(): void {
    if (this.#calls.size === 0) {
      this.#heardMs = performance.now()
      return
    }
    const silentMsMax = this.#isLoaded ? this.#limits.silentMsMax : LOAD_MS_MAX
    if (performance.now() - this.#heardMs > silentMsMax) {
      this.#logger.warn({ silentMsMax }, 'the judging thread fell silent')
      void this.#lose(new JudgingThreadLost(`said nothing for ${silentMsMax} ms`))
    } else this.#tell({ kind: 'ping' })
  }

  async #lose(error: Error): Promise<void> {
    const thread = this.#thread
    this.#thread = undefined
    clearInterval(this.#watchdog)
    for (const call of [...this.#calls.keys()]) {
      const open = this.#end(call)
      const isLost = error instanceof JudgingThreadLost && open?.watch
      open?.reject(isLost ? new JudgingThreadLost(error.message, [...open.begun.values()]) : error)
    }
    await thread?.terminate()
  }

  #take(message: FromJudgingThread): void {
    this.#heardMs = performance.now()
    this.#isLoaded = true
    switch (message.kind) {
      case 'ask':
      case 'generate':
        void this.#ask(message)
        break
      case 'begun':
        this.#calls
          .get(message.at.call)
          ?.begun.set(keyOf(message.at), { work: message.at.work, ids: message.ids })
        break
      case 'unit':
        this.#endUnit(message)
        break
      case 'output': {
        const { call, output, evidence } = message
        const judgement = this.#judgementOf({ call, work: 0, ordinal: 0 }, evidence)
        this.#end(call)?.resolve({ output, judgement })
        break
      }
      case 'failed':
        this.#end(message.call)?.reject(uncarryError(message.error))
        break
      case 'done':
        this.#end(message.call)?.resolve()
        break
      case 'bug':
        this.#logger.error({ slug: message.slug, bug: message.bug }, 'an evaluator failed on a span')
    }
  }

  async #ask(message: FromJudgingThread & { kind: 'ask' | 'generate' }): Promise<void> {
    const { at, question } = message
    const consultation = this.#consultationAt(at)
    if (!consultation) return
    try {
      const answer = await (message.kind === 'ask'
        ? consultation.ask(message.asked)
        : consultation.generate(message.prompt, message.replaced))
      if (this.#calls.has(at.call)) this.#tell({ kind: 'answer', question, answer })
    } catch (error) {
      if (this.#calls.has(at.call)) this.#tell({ kind: 'no answer', question, error: carryError(error) })
    }
  }

  #consultationAt(at: EvaluationPlace): Consultation | undefined {
    const open = this.#calls.get(at.call)
    if (!open) return undefined
    const known = open.consultations.get(keyOf(at))
    if (known) return known.consultation
    const stopping = new AbortController()
    const late = new DOMException('the evaluation took too long', 'TimeoutError')
    const timer = setTimeout(() => stopping.abort(late), this.#limits.evaluationMsMax)
    const stop = () => {
      clearTimeout(timer)
      stopping.abort()
    }
    if (open.signal.aborted) stop()
    const { payer, model } = open.choiceOf(at.work)
    const consultation = this.#desk.open(payer, model, stopping.signal)
    open.consultations.set(keyOf(at), { consultation, stop })
    return consultation
  }

  /** The use of the judge; zero when the evaluator asked none. */
  #judgementOf(at: EvaluationPlace, evidence: Evidence | undefined): Judgement {
    const asked =
      this.#calls.get(at.call)?.consultations.get(keyOf(at))?.consultation.judgement ?? NOBODY_ASKED
    return { ...asked, ...defined({ evidence }) }
  }

  #endUnit({ at, ending, evidence }: FromJudgingThread & { kind: 'unit' }): void {
    const open = this.#calls.get(at.call)
    if (!open?.watch) return
    const judgement = this.#judgementOf(at, evidence)
    open.consultations.get(keyOf(at))?.stop()
    open.consultations.delete(keyOf(at))
    open.begun.delete(keyOf(at))
    if ('outcome' in ending) open.watch.onOutcome(at.work, { ...ending.outcome, judgement })
    else if ('putOff' in ending) open.watch.onPutOff(at.work, ending.ids, ending.putOff)
    else if ('notReady' in ending) open.watch.onNotReady?.(ending.notReady)
    else if ('lost' in ending) open.watch.onLost(at.work, at.ordinal, ending.lost)
    else if ('skipped' in ending) open.watch.onSkipped?.(at.work, at.ordinal)
    else open.watch.onSampledOut(at.work, at.ordinal)
  }

  #end(call: number): OpenCall | undefined {
    const open = this.#calls.get(call)
    for (const { stop } of open?.consultations.values() ?? []) stop()
    this.#calls.delete(call)
    return open
  }
}

function keyOf({ work, ordinal }: EvaluationPlace): string {
  return `${work} ${ordinal}`
}
