import { applicationOf } from '../../domain/application.ts'
import { boundedName } from '../../domain/bounded-name.ts'
import type { UnitOutcome } from '../../domain/evaluation.ts'
import { samplingNumber } from '../../domain/sampling.ts'
import { awaitsContent } from '../../domain/span-fields/awaits-content.ts'
import { spanFields } from '../../domain/span-fields/span-fields.ts'
import { isSkipped, type SkippedSpans, type SpanRole, spanRole } from '../../domain/span-role.ts'
import type { ReadableSpan } from '../../evaluators/kit/span-inputs.ts'
import type { SpanView } from '../../lib/otlp/span-view.ts'

/** One span while it is evaluated. Nothing is decoded before it is needed, and nothing twice. */
export class SpanUnit {
  readonly ordinal: number
  readonly #view: SpanView
  readonly #ids: Pick<UnitOutcome, 'traceId' | 'spanId' | 'unitAtMs'>
  #samplingNumber: number | undefined
  #read: ReadableSpan | undefined
  #role: SpanRole | undefined
  #sessionId: string | undefined
  #application: string | undefined

  constructor(view: SpanView, ordinal: number, receivedAtMs: number) {
    this.#view = view
    this.ordinal = ordinal
    // A span without a time is shown when it arrived, not in 1970.
    const unitAtMs = view.startUnixMs || receivedAtMs
    this.#ids = { traceId: view.traceId, spanId: view.spanId, unitAtMs }
  }

  /** Bytes of the span on the wire. */
  get byteLength(): number {
    return this.#view.end - this.#view.start
  }

  get samplingNumber(): number {
    this.#samplingNumber ??= samplingNumber(this.#view.traceIdBytes)
    return this.#samplingNumber
  }

  get isRead(): boolean {
    return this.#read !== undefined
  }

  read(): ReadableSpan {
    if (!this.#read) {
      const span = this.#view.toSpan()
      this.#read = { span, fields: spanFields(span) }
      const sessionId = this.#read.fields.get('session_id')
      this.#sessionId = sessionId === undefined ? undefined : boundedName(sessionId)
      this.#application = applicationOf(span.resource, (name) => span.attributes.get(name))
    }
    return this.#read
  }

  /** Whether the span itself has no content, which may come as log events; those that have come do not count. */
  get awaitsContent(): boolean {
    return awaitsContent(this.read().span, this.#view.contents?.length ?? 0)
  }

  /** Whether a monitor leaves the span out because of what it is. */
  isSkippedBy(skips: SkippedSpans | undefined): boolean {
    if (skips === undefined) return false
    if (this.#role === undefined) {
      const { span, fields } = this.read()
      this.#role = spanRole(span, fields)
    }
    return isSkipped(this.#role, skips)
  }

  /** Names the unit; the session and the application only once the span was read. */
  get ids(): Pick<UnitOutcome, 'ordinal' | 'traceId' | 'spanId' | 'unitAtMs' | 'sessionId' | 'application'> {
    const [sessionId, application] = [this.#sessionId, this.#application]
    return {
      ordinal: this.ordinal,
      ...this.#ids,
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(application === undefined ? {} : { application }),
    }
  }

  outcome(
    result: Pick<UnitOutcome, 'status' | 'output' | 'errorMessage' | 'durationUs' | 'awaitsContent'>,
  ): UnitOutcome {
    return { ...this.ids, ...result }
  }
}
