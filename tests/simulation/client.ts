import { createHash } from 'node:crypto'
import { deleteProjectData, deleteSession, deleteTrace } from '../../src/control/deletions.ts'
import { startJob } from '../../src/control/jobs.ts'
import { deleteSetup, upsertSetups } from '../../src/control/setups.ts'
import type { SetupChange } from '../../src/domain/setup.ts'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import { PublicError } from '../../src/lib/public-error.ts'
import { encodeTraces } from '../otlp/encode-traces.ts'
import type { Model, SimulatedSpan } from './model.ts'
import type { VirtualProcess } from './virtual-process.ts'
import type { World } from './world.ts'

/** A request that is repeated until it is acknowledged, as an exporter or a deploy script does. */
interface Request {
  readonly name: string
  /** Called when it is about to be sent, each time. */
  readonly begin: () => void
  readonly send: (process: VirtualProcess) => Promise<unknown>
  readonly acknowledge: () => void
  /** Called when it will not be sent again. */
  readonly end?: () => void
  sentTo: VirtualProcess | undefined
  /** After a refusal it is not sent again before this. */
  notBeforeMs: number
}

const TRACES = 6
const SPANS_MAX = 3
/** How long a client waits before it repeats what was refused. */
const RETRY_MS = 200
const AGENTS = ['shop', 'desk']

/** The evaluators of a setup: one for every span, one for its trace as a whole. */
function changeOf(definition: string): SetupChange {
  const [agent = '', slug = '', scope = 'span'] = definition.split(' ')
  const ref = { slug, evaluatorId: slug }
  return {
    evaluators: [ref],
    evaluatorConfigs: [{ ...ref, override: scope === 'trace' ? { scope } : {} }],
    selector: [
      { key: 'agent', source: 'span_attributes', operator: 'equals', valueType: 'string', value: agent },
    ],
  }
}

/** Clients of a service: they send, change and delete at random and keep a model of what they were told. */
export class Client {
  readonly #world: World
  readonly #tenant: EnvironmentTenant
  readonly #model: Model
  readonly #open = new Set<Request>()
  readonly #sent: SimulatedSpan[][] = []
  #names = 0
  /** The requests so far, for the report of a failure. */
  readonly history: string[] = []

  constructor(world: World, tenant: EnvironmentTenant, model: Model) {
    this.#world = world
    this.#tenant = tenant
    this.#model = model
  }

  /** Whether everything that was asked for was acknowledged. */
  get isDone(): boolean {
    return this.#open.size === 0
  }

  /** Asks for a setup that scores spans, one that scores whole traces, and sends spans for both. */
  begin(): void {
    this.applySetup('setup-0', 'shop char-count span')
    this.applySetup('setup-1', 'shop word-count trace')
    this.send([0, 2, 4])
  }

  /** Asks for something new. */
  invent(): void {
    const roll = this.#world.dice.below(100)
    if (roll < 45) this.send()
    else if (roll < 55) this.resend()
    else if (roll < 72) this.#applySome()
    else if (roll < 76) this.removeSetup()
    else if (roll < 86) this.removeTrace()
    else if (roll < 90) this.removeSession()
    else if (roll < 91) this.removeProjectData()
    else this.makeJob(roll < 96 ? 'backfill' : 'rerun')
  }

  /** Sends what is not under way to one of these processes. */
  async knock(processes: readonly VirtualProcess[]): Promise<void> {
    for (const request of this.#open)
      if (request.sentTo && !request.sentTo.isAlive) request.sentTo = undefined
    const idle = [...this.#open].filter(
      ({ sentTo, notBeforeMs }) => !sentTo && notBeforeMs <= this.#world.nowMs,
    )
    const ready = processes.filter(({ isAlive, isFrozen, pipeline }) => isAlive && !isFrozen && pipeline)
    if (idle.length === 0 || ready.length === 0) return
    const request = this.#world.dice.pick(idle)
    const process = this.#world.dice.pick(ready)
    request.sentTo = process
    request.begin()
    this.history.push(`${this.#world.nowMs.toFixed(0)} ms: ${request.name} to ${process.name}`)
    await this.#world.act(process, () => {
      request.send(process).then(
        () => this.#settle(request),
        (error) => {
          const isSettled = error instanceof PublicError && error.kind === 'not_found'
          if (isSettled) return this.#settle(request)
          request.sentTo = undefined
          request.notBeforeMs = this.#world.nowMs + RETRY_MS
        },
      )
    })
  }

  #settle(request: Request): void {
    if (!this.#open.delete(request)) return
    this.history.push(`${this.#world.nowMs.toFixed(0)} ms: ${request.name} is acknowledged`)
    request.acknowledge()
    request.end?.()
    this.#model.acknowledgements++
  }

  #ask(request: Omit<Request, 'sentTo' | 'notBeforeMs'>): void {
    this.#open.add({ ...request, sentTo: undefined, notBeforeMs: 0 })
  }

  /** Sends new spans, one for each of these traces. */
  send(traces: readonly number[] = this.#someTraces()): void {
    const spans = traces.map((trace) => this.#newSpan(trace))
    this.#sent.push(spans)
    this.#sendAll(spans)
  }

  resend(): void {
    if (this.#sent.length > 0) this.#sendAll(this.#world.dice.pick(this.#sent))
  }

  #sendAll(spans: readonly SimulatedSpan[]): void {
    for (const span of spans) this.#model.ask(span)
    this.#ask({
      name: `send ${spans.map(({ key }) => key).join(', ')}`,
      begin: () => {
        for (const span of spans) span.expiriesBefore ??= this.#model.expiries
      },
      end: () => {
        for (const span of spans) span.isOnItsWay--
      },
      send: (process) => {
        const body = encodeTraces([
          { resource: { 'service.name': 'shop' }, scopes: [{ spans: spans.map(({ encoded }) => encoded) }] },
        ])
        return process.pipeline?.ingest.receive(this.#tenant, body, 'protobuf') ?? Promise.reject()
      },
      acknowledge: () => {
        for (const span of spans) this.#model.acknowledge(span)
      },
    })
  }

  #someTraces(): number[] {
    const { dice } = this.#world
    return Array.from({ length: 1 + dice.below(SPANS_MAX) }, () => dice.below(TRACES))
  }

  #newSpan(trace: number): SimulatedSpan {
    const { dice } = this.#world
    const key = `t${trace}-s${++this.#names}`
    const traceId = digest(`trace ${trace}`).subarray(0, 16)
    const spanId = digest(key).subarray(0, 8)
    const sessionId = trace % 3 === 0 ? `session-${trace % 2}` : undefined
    const completion = `secret-${key}-${'x'.repeat(dice.below(20))}`
    const startUnixNano = BigInt(Date.now()) * 1_000_000n
    const span: SimulatedSpan = {
      key,
      traceId: traceId.toString('hex'),
      spanId: spanId.toString('hex'),
      sessionId,
      completion,
      encoded: {
        traceId,
        spanId,
        name: 'chat',
        startUnixNano,
        endUnixNano: startUnixNano + 1_000_000n,
        attributes: {
          agent: AGENTS[trace % AGENTS.length] as string,
          'gen_ai.prompt.0.role': 'user',
          'gen_ai.prompt.0.content': `question ${key}`,
          'gen_ai.completion.0.role': 'assistant',
          'gen_ai.completion.0.content': completion,
          ...(sessionId === undefined ? {} : { 'session.id': sessionId }),
        },
      },
      setupsBefore: new Map(
        [...this.#model.setups.values()].flatMap(({ externalId, definition }) =>
          definition === undefined ? [] : [[externalId, definition] as const],
        ),
      ),
      isExcused: this.#model.tracesDeleted.has(traceId.toString('hex')),
      isDeleted: false,
      isOnItsWay: 0,
      timesAsked: 0,
      mayComeAnew: false,
    }
    this.#model.spans.set(key, span)
    return span
  }

  /** A new setup, the same one again, or another definition for it. */
  #applySome(): void {
    const { dice } = this.#world
    const externalId = `setup-${dice.below(3)}`
    const known = this.#model.setups.get(externalId)?.definition
    // Now and then the same file is applied again.
    this.applySetup(externalId, known !== undefined && dice.isLikely(0.5) ? known : this.#anyDefinition())
  }

  applySetup(externalId: string, wanted: string): void {
    const known = this.#model.setups.get(externalId) ?? { externalId, definition: undefined }
    const wasKnown = this.#model.setups.has(externalId)
    this.#model.setups.set(externalId, known)
    this.#ask({
      name: `apply ${externalId} as ${wanted}`,
      begin: () => {
        if (known.definition === wanted) return
        if (wasKnown) this.#model.changed.add(externalId)
        known.definition = undefined
      },
      send: (process) =>
        process.control
          ? upsertSetups(process.control, this.#tenant, [{ externalId, change: changeOf(wanted) }])
          : Promise.reject(),
      acknowledge: () => {
        // Another change may be under way; then it is not known which one wins.
        const isAlone = ![...this.#open].some(({ name }) => name.includes(` ${externalId}`))
        known.definition = isAlone ? wanted : undefined
      },
    })
  }

  #anyDefinition(): string {
    const { dice } = this.#world
    return `${dice.pick(AGENTS)} ${dice.pick(['char-count', 'word-count'])} ${dice.pick(['span', 'trace'])}`
  }

  removeSetup(): void {
    const known = [...this.#model.setups.values()]
    if (known.length === 0) return
    const setup = this.#world.dice.pick(known)
    this.#ask({
      name: `delete ${setup.externalId}`,
      begin: () => {
        setup.definition = undefined
        this.#model.changed.add(setup.externalId)
      },
      send: (process) =>
        process.control ? deleteSetup(process.control, this.#tenant, setup.externalId) : Promise.reject(),
      acknowledge: () => {},
    })
  }

  removeTrace(trace = this.#world.dice.below(TRACES)): void {
    const traceId = digest(`trace ${trace}`).subarray(0, 16).toString('hex')
    // An unknown one is not taken in later either.
    this.#model.tracesDeleted.add(traceId)
    this.#remove(
      `delete trace t${trace}`,
      (span) => span.traceId === traceId,
      'trace',
      (process) => (process.control ? deleteTrace(process.control, this.#tenant, traceId) : Promise.reject()),
    )
  }

  removeSession(session = this.#world.dice.below(2)): void {
    const sessionId = `session-${session}`
    this.#remove(
      `delete session ${sessionId}`,
      (span) => span.sessionId === sessionId,
      'session',
      (process) =>
        process.control ? deleteSession(process.control, this.#tenant, sessionId) : Promise.reject(),
    )
  }

  removeProjectData(): void {
    this.#remove(
      'delete all data',
      () => true,
      'everything',
      (process) => (process.control ? deleteProjectData(process.control, this.#tenant) : Promise.reject()),
    )
    // A span that is sent again after the deletion is a new one.
    this.#sent.length = 0
  }

  #remove(
    name: string,
    isMeant: (span: SimulatedSpan) => boolean,
    reach: 'trace' | 'session' | 'everything',
    send: Request['send'],
  ): void {
    /** The spans that it certainly reaches, and how often each had been asked for. */
    let meant: { readonly span: SimulatedSpan; readonly timesAsked: number }[] = []
    const { wholeDeletions } = this.#model
    let endedBefore: number | undefined
    this.#ask({
      name,
      begin: () => {
        // Also where it has to be sent again: it may have been done the first time.
        const isFirst = endedBefore === undefined
        endedBefore ??= wholeDeletions.begun - wholeDeletions.open
        // The deletion certainly reaches spans that were acknowledged before it was sent.
        this.#model.openDeletions.add(isMeant)
        const all = this.#model.excuse(isMeant)
        meant = all
          .filter(({ ackedAtMs, isOnItsWay }) => ackedAtMs !== undefined && isOnItsWay === 0)
          .map((span) => ({ span, timesAsked: span.timesAsked }))
        for (const { traceId } of all) this.#model.tracesDeleted.add(traceId)
        if (reach !== 'everything') return
        if (isFirst) {
          wholeDeletions.begun++
          wholeDeletions.open++
        }
        this.#forget(all)
        // With the data goes what was known of earlier deletions: a span that is on its way may come in again.
        for (const span of all) if (span.isOnItsWay > 0) span.isDeleted = false
      },
      send,
      acknowledge: () => {
        this.#model.openDeletions.delete(isMeant)
        if (reach === 'everything') wholeDeletions.open--
        // Where all data may have been deleted after this, a span may have come again behind both.
        else if (wholeDeletions.begun > (endedBefore ?? 0)) return
        for (const { span, timesAsked } of meant) {
          if (span.isOnItsWay > 0 && reach !== 'trace') continue
          const mayComeAnew = reach === 'session' && this.#model.mayHaveExpired(span)
          // Its repetition may have come behind the deletion and may not have been taken for one.
          if (mayComeAnew && span.timesAsked > timesAsked) continue
          this.#model.markDeleted(span, mayComeAnew)
        }
      },
    })
  }

  /** They are never sent again, and those that are under way may come before or after the deletion. */
  #forget(spans: readonly SimulatedSpan[]): void {
    const keys = new Set(spans.map(({ key }) => key))
    for (const [at, sent] of [...this.#sent.entries()].toReversed())
      if (sent.some(({ key }) => keys.has(key))) this.#sent.splice(at, 1)
  }

  makeJob(kind: 'backfill' | 'rerun'): void {
    const [setup] = this.#model.setups.keys()
    if (setup === undefined) return
    const request =
      kind === 'rerun'
        ? { kind, statuses: ['scored' as const], limit: 100 }
        : { kind, externalId: setup, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, limit: 100, samplingRate: 1 }
    this.#ask({
      name: kind,
      begin: () => {},
      send: (process) =>
        process.control ? startJob(process.control, this.#tenant, request) : Promise.reject(),
      acknowledge: () => {},
    })
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
