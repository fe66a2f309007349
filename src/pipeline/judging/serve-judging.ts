import type { MessagePort } from 'node:worker_threads'
import type { MonitorVersion } from '../../domain/monitor.ts'
import { listUnits } from '../../domain/unit-set.ts'
import type { AnyEvaluator } from '../../evaluators/kit/define-evaluator.ts'
import { attachContents } from '../../lib/otlp/attach-contents.ts'
import { scanStoredTraces } from '../../lib/otlp/scan-traces.ts'
import type { SpanView } from '../../lib/otlp/span-view.ts'
import { unpackBytesSync } from '../../lib/otlp/stored-spans.ts'
import type { SpanContent } from '../../ports/content-storage.ts'
import type { Judge } from '../../ports/judge.ts'
import type { StoredBatch } from '../../ports/span-storage.ts'
import { type PreparedMonitor, PreparedMonitors } from '../scoring/prepared-monitors.ts'
import { SpanUnit } from '../scoring/span-unit.ts'
import { carryError, uncarryError } from './carry-error.ts'
import { evaluateUnit, evaluateWhole, type UnitEvaluation } from './evaluate-unit.ts'
import { type JudgedEvaluator, judgeCall, prepareAny, prepareJudged } from './judged-call.ts'
import type {
  EvaluationPlace,
  EvaluatorSource,
  FromJudgingThread,
  JudgingThreadData,
  JudgingWork,
  ToJudgingThread,
  UnitEnding,
  WholeUnit,
} from './judging-message.ts'
import { guardJudge, type PrivacyMode } from './privacy-gate.ts'
import { RemoteJudge } from './remote-judge.ts'

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

  async #score(message: ToJudgingThread & { kind: 'score' }): Promise<void> {
    const { call, batch, works, unitsAtOnce, contents } = message
    const spans = openBatch(batch, contents)
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

  #judgeWhole({ version, evaluator, ...unit }: WholeUnit, judge: RemoteJudge): Promise<UnitEnding> {
    const monitor = this.#wholeMonitors.get(version, () => this.#find(evaluator))
    return evaluateWhole(unit, this.#evaluation(version, monitor, judge))
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
    if (unit.isSkippedBy(monitor.skips)) {
      this.#say({ kind: 'unit', at, ending: { skipped: true } })
      return
    }
    this.#say({ kind: 'begun', at, ids: unit.ids })
    const judge = this.#judgeAt(at)
    const ending = await evaluateUnit(unit, this.#evaluation(work.version, monitor, judge))
    this.#say({ kind: 'unit', at, ending, ...judge.noted() })
  }

  #evaluation(version: MonitorVersion, monitor: PreparedMonitor<Judge>, judge: RemoteJudge): UnitEvaluation {
    return {
      monitor,
      judge: guardJudge(judge, this.#privacy),
      startedMs: performance.now(),
      onBug: (error) =>
        this.#say({
          kind: 'bug',
          slug: version.slug,
          bug: (error instanceof Error && error.stack) || String(error),
        }),
    }
  }
}

function openBatch(batch: StoredBatch, contents: readonly SpanContent[]): readonly SpanView[] | string {
  try {
    const spans = scanStoredTraces(unpackBytesSync(batch), batch.knownFaults)
    attachContents(spans, contents)
    return spans
  } catch (error) {
    return `the batch cannot be read: ${error instanceof Error ? error.message : String(error)}`
  }
}

function requireJudged(evaluator: AnyEvaluator | undefined): JudgedEvaluator {
  if (!evaluator?.judging) throw new Error('the evaluator does not ask a judge')
  return evaluator as JudgedEvaluator
}
