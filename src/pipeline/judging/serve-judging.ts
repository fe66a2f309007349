import type { MessagePort } from 'node:worker_threads'
import type { UnitOutcome } from '../../domain/evaluation.ts'
import type { MonitorVersion } from '../../domain/monitor.ts'
import { NoVerdict, statusOf } from '../../domain/no-verdict.ts'
import { listUnits } from '../../domain/unit-set.ts'
import type { AnyEvaluator } from '../../evaluators/kit/define-evaluator.ts'
import { oneLine } from '../../lib/one-line.ts'
import { scanStoredTraces } from '../../lib/otlp/scan-traces.ts'
import type { SpanView } from '../../lib/otlp/span-view.ts'
import { unpackBytesSync } from '../../lib/otlp/stored-spans.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { Judge } from '../../ports/judge.ts'
import type { StoredBatch } from '../../ports/span-storage.ts'
import { type PreparedMonitor, PreparedMonitors } from '../scoring/prepared-monitors.ts'
import { SpanUnit } from '../scoring/span-unit.ts'
import { carryError, uncarryError } from './carry-error.ts'
import { type JudgedEvaluator, judgeCall, prepareAny, prepareJudged } from './judged-call.ts'
import type {
  EvaluationPlace,
  EvaluatorSource,
  FromJudgingThread,
  JudgingThreadData,
  JudgingWork,
  ToJudgingThread,
  UnitEnding,
  UnitIds,
  UnitPart,
  WholeUnit,
} from './judging-message.ts'
import { guardJudge, type PrivacyMode } from './privacy-gate.ts'
import { RemoteJudge } from './remote-judge.ts'
import { type ReadUnit, readUnitSpans } from './whole-unit.ts'

/** Longest message of an evaluation. */
const MESSAGE_CHARS_MAX = 500

/** The evaluator that a call names. */
export type FindJudged = (source: EvaluatorSource) => AnyEvaluator | undefined

/**
 * The inside of the judging thread. It takes inputs out of spans and runs the code of judged evaluators, many at once,
 * because most of their time is spent waiting: every question goes to the other side, which has the providers. It keeps
 * nothing between calls but prepared monitors and models.
 */
export function serveJudging(port: MessagePort, data: JudgingThreadData, find: FindJudged): void {
  const server = new JudgingServer((message) => port.postMessage(message), find, data)
  port.on('message', (message: ToJudgingThread) => server.take(message))
  port.postMessage({ kind: 'alive' } satisfies FromJudgingThread)
}

interface OpenQuestion {
  resolve(answer: unknown): void
  reject(error: Error): void
}

class JudgingServer {
  readonly #say: (message: FromJudgingThread) => void
  readonly #find: FindJudged
  readonly #privacy: PrivacyMode
  readonly #monitors = new PreparedMonitors<Judge>(() => undefined, prepareJudged)
  readonly #wholeMonitors: PreparedMonitors<Judge>
  readonly #questions = new Map<number, OpenQuestion>()
  readonly #abandoned = new Set<number>()
  #lastQuestion = 0

  constructor(say: (message: FromJudgingThread) => void, find: FindJudged, data: JudgingThreadData) {
    this.#say = say
    this.#find = find
    this.#privacy = data.privacy
    this.#wholeMonitors = new PreparedMonitors(
      () => undefined,
      prepareAny(data.embeddedUse ?? 'scores when good'),
    )
  }

  take(message: ToJudgingThread): void {
    if (message.kind === 'ping') this.#say({ kind: 'alive' })
    else if (message.kind === 'abandon') this.#abandoned.add(message.call)
    else if (message.kind === 'execute') void this.#execute(message)
    else if (message.kind === 'score') void this.#score(message)
    else if (message.kind === 'score whole') void this.#scoreWhole(message)
    else this.#settle(message)
  }

  #settle(message: ToJudgingThread & { kind: 'answer' | 'no answer' }): void {
    const open = this.#questions.get(message.question)
    this.#questions.delete(message.question)
    if (message.kind === 'answer') open?.resolve(message.answer)
    else open?.reject(uncarryError(message.error))
  }

  #judgeAt(at: EvaluationPlace): RemoteJudge {
    return new RemoteJudge((message) => {
      const question = ++this.#lastQuestion
      return new Promise((resolve, reject) => {
        this.#questions.set(question, { resolve, reject })
        this.#say({ ...message, at, question })
      })
    })
  }

  async #execute({ call, evaluator: source, body }: ToJudgingThread & { kind: 'execute' }): Promise<void> {
    const judge = this.#judgeAt({ call, work: 0, ordinal: 0 })
    try {
      const evaluator = requireJudged(this.#find(source))
      const output = await judgeCall(evaluator, body, guardJudge(judge, this.#privacy))
      this.#say({ kind: 'output', call, output, ...judge.noted() })
    } catch (error) {
      this.#say({ kind: 'failed', call, error: carryError(error) })
    }
  }

  async #score({ call, batch, works, unitsAtOnce }: ToJudgingThread & { kind: 'score' }): Promise<void> {
    const spans = openBatch(batch)
    const units = works.flatMap(({ units: set }, work) =>
      listUnits(set).map((ordinal) => ({ call, work, ordinal })),
    )
    const worker = async () => {
      for (let at = units.shift(); at; at = units.shift()) {
        if (this.#abandoned.has(call)) return
        await this.#unit(works[at.work] as JudgingWork, at, spans, batch.receivedAtMs)
      }
    }
    await Promise.all(Array.from({ length: unitsAtOnce }, worker))
    this.#abandoned.delete(call)
    this.#say({ kind: 'done', call })
  }

  async #scoreWhole(unit: ToJudgingThread & { kind: 'score whole' }): Promise<void> {
    const at = { call: unit.call, work: 0, ordinal: 0 }
    const judge = this.#judgeAt(at)
    const ending = await this.#judgeWhole(unit, judge)
    this.#say({ kind: 'unit', at, ending, ...judge.noted() })
    this.#say({ kind: 'done', call: unit.call })
  }

  async #judgeWhole(
    { version, evaluator, parts, spanCount, ids, mustBeComplete }: WholeUnit,
    judge: RemoteJudge,
  ): Promise<UnitEnding> {
    const startedMs = performance.now()
    const read = tryRead(parts)
    if (read === undefined || typeof read === 'string') return { lost: read ?? 'no span of it is kept' }
    if (mustBeComplete && read.gap !== undefined) return { notReady: read.gap }
    if (read.readCount < spanCount || read.isSampled) {
      judge.note('sampled', { spans: spanCount, read: read.readCount })
    }
    if (read.gap !== undefined) judge.note('incomplete', read.gap)
    const monitor = this.#wholeMonitors.get(version, () => this.#find(evaluator))
    const unit = {
      ids: { ...ids, ordinal: read.ordinal },
      read: () => read.from,
      outcome: (result: Omit<UnitOutcome, keyof UnitIds | 'judgement'>): UnitOutcome => ({
        ...ids,
        ordinal: read.ordinal,
        ...result,
      }),
    }
    return this.#judgeUnit(version, unit, monitor, judge, startedMs)
  }

  async #unit(
    work: JudgingWork,
    at: EvaluationPlace,
    spans: readonly SpanView[] | string,
    receivedAtMs: number,
  ): Promise<void> {
    const view = typeof spans === 'string' ? undefined : spans[at.ordinal]
    if (!view) {
      const lost = typeof spans === 'string' ? spans : `the batch has no span ${at.ordinal}`
      this.#say({ kind: 'unit', at, ending: { lost } })
      return
    }
    const monitor = this.#monitors.get(work.version, () => this.#find(work.evaluator))
    const unit = new SpanUnit(view, at.ordinal, receivedAtMs)
    if (monitor.samplingRate < 1 && unit.samplingNumber >= monitor.samplingRate) {
      this.#say({ kind: 'unit', at, ending: { sampledOut: true } })
      return
    }
    this.#say({ kind: 'begun', at, ids: unit.ids })
    const judge = this.#judgeAt(at)
    const ending = await this.#judgeUnit(work.version, unit, monitor, judge, performance.now())
    this.#say({ kind: 'unit', at, ending, ...judge.noted() })
  }

  async #judgeUnit(
    version: MonitorVersion,
    unit: Pick<SpanUnit, 'ids' | 'read' | 'outcome'>,
    monitor: PreparedMonitor<Judge>,
    judge: RemoteJudge,
    startedMs: number,
  ): Promise<UnitEnding> {
    const ended = (result: Pick<UnitOutcome, 'status' | 'output' | 'errorMessage'>): UnitEnding => {
      const durationUs = Math.round((performance.now() - startedMs) * 1_000)
      return { outcome: unit.outcome({ ...result, durationUs }) }
    }
    const failed = (status: UnitOutcome['status'], message: string) =>
      ended({ status, errorMessage: oneLine(message, MESSAGE_CHARS_MAX) })
    try {
      if (monitor.fault !== undefined) return failed('error', monitor.fault)
      const answer = await monitor.evaluate(unit.read(), guardJudge(judge, this.#privacy))
      if ('output' in answer) return ended({ status: 'scored', output: answer.output })
      return failed('missing_input', `the span does not carry input ${answer.missing}`)
    } catch (error) {
      if (error instanceof NoVerdict) {
        const status = statusOf(error)
        if (status !== undefined) return failed(status, error.message)
        const { reason, message, retryAfterMs } = error
        const putOff = { reason, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
        return { putOff, ids: unit.ids }
      }
      if (error instanceof PublicError) return failed('error', error.message)
      this.#say({
        kind: 'bug',
        slug: version.slug,
        bug: (error instanceof Error && error.stack) || String(error),
      })
      return failed('error', 'the evaluator failed on this span')
    }
  }
}

function tryRead(parts: readonly UnitPart[]): ReadUnit | string | undefined {
  try {
    return readUnitSpans(parts)
  } catch (error) {
    return `its spans cannot be read: ${error instanceof Error ? error.message : String(error)}`
  }
}

function openBatch(batch: StoredBatch): readonly SpanView[] | string {
  try {
    return scanStoredTraces(unpackBytesSync(batch), batch.knownFaults)
  } catch (error) {
    return `the batch cannot be read: ${error instanceof Error ? error.message : String(error)}`
  }
}

function requireJudged(evaluator: AnyEvaluator | undefined): JudgedEvaluator {
  if (!evaluator?.judging) throw new Error('the evaluator does not ask a judge')
  return evaluator as JudgedEvaluator
}
