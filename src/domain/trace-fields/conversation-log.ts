import type { Message, ToolCall } from '../span-fields/canonical-values.ts'
import { resultText } from '../span-fields/read-tools.ts'
import { messageKeys, sentKeys } from './message-key.ts'
import { OpenCalls } from './open-calls.ts'

/** A message in its place. Its number only orders it and may change; the entry itself stays. */
export interface LogEntry {
  at: number
  readonly message: Message
  /** The result of a tool whose span failed. */
  readonly isError: boolean
  /** It was reported by the span of a tool, and not yet by a conversation. */
  isFromToolSpan: boolean
}

type Find = (message: Message, place: number, recognised: LogEntry | undefined) => LogEntry | undefined

/**
 * The messages, tool calls and results of a trace, each once. Spans repeat each other: every call of a model sends the
 * conversation so far again, and a workflow shows what the calls within it show too.
 */
export class ConversationLog {
  readonly #entries: LogEntry[] = []
  /** Entries by what they say and by the ids of their calls, in order. */
  readonly #byKey = new Map<string, LogEntry[]>()
  readonly #calls = new OpenCalls()
  #lastAnswer: LogEntry | undefined

  get entries(): readonly LogEntry[] {
    return this.#entries
  }

  /** The newest entry. */
  get last(): LogEntry | undefined {
    return this.#entries.at(-1)
  }

  /**
   * Adds what was sent to a model or an agent. A message that is there already, in the same order, is recognised; a new
   * one is put before the next that was recognised, or at the end. The last message of the user and what follows it can
   * only be the same as what came after `turnStart`, because people say the same thing twice.
   */
  addSent(messages: readonly Message[], turnStart: LogEntry | undefined): void {
    const fresh = messages.findLastIndex(({ role }) => role === 'user')
    this.#merge(messages, (message, place, recognised) => {
      const after = laterOf(recognised, fresh >= 0 && place >= fresh ? turnStart : undefined)
      return this.#find(sentKeys(message), after) ?? this.#toolResultAfter(recognised, message)
    })
  }

  /** Adds what came back. Only what was added after `begun` can be the same: an agent may say the same thing twice. */
  addReturned(messages: readonly Message[], begun: LogEntry | undefined): void {
    this.#merge(
      messages,
      (message, _place, recognised) =>
        this.#find(messageKeys(message), laterOf(recognised, begun)) ??
        this.#toolResultAfter(recognised, message),
    )
  }

  #merge(messages: readonly Message[], find: Find): void {
    let recognised: LogEntry | undefined
    let unknown: Message[] = []
    for (const [place, message] of messages.entries()) {
      const hit = find(message, place, recognised)
      if (!hit) {
        unknown.push(message)
        continue
      }
      hit.isFromToolSpan = false
      for (const one of unknown) {
        // New instructions do not change what was answered before them.
        if (one.role === 'system' && this.#isAnsweredAfter(hit)) this.#append(one)
        else this.#insertBefore(hit, one)
      }
      unknown = []
      recognised = hit
    }
    for (const message of unknown) this.#append(message)
  }

  /** Adds the execution of a tool: nothing where a model asked for it before. Returns the call as it was asked for. */
  addExecution(call: ToolCall): ToolCall {
    const asked = this.#calls.claim(call)
    if (asked) return asked
    this.#append({ role: 'assistant', content: '', tool_calls: [call] })
    return this.#calls.claim(call) ?? call
  }

  /** Adds what a tool gave back, unless a conversation has told it already. */
  addResult(call: ToolCall, result: unknown, isError: boolean): void {
    if (this.#calls.isAnswered(call)) return
    const { name, id } = call
    const message: Message = {
      role: 'tool',
      content: resultText(result),
      name,
      ...(id !== undefined && { tool_call_id: id }),
    }
    this.#append(message, { isError, isFromToolSpan: true })
    this.#calls.answer(call)
  }

  #find(keys: Iterable<string>, after: LogEntry | undefined): LogEntry | undefined {
    for (const key of keys) {
      const hit = firstAfter(this.#byKey.get(key) ?? [], after)
      if (hit) return hit
    }
    return undefined
  }

  // A framework may rewrite a result before it shows it to the model; it then still follows the call that it answers.
  #toolResultAfter(recognised: LogEntry | undefined, { role }: Message): LogEntry | undefined {
    if (!recognised || role !== 'tool') return undefined
    const next = this.#entries[this.#placeAfter(recognised)]
    return next?.isFromToolSpan ? next : undefined
  }

  #append(message: Message, how: { isError: boolean; isFromToolSpan: boolean } = SAID): void {
    this.#insert(this.#entries.length, (this.last?.at ?? 0) + 1, message, how)
  }

  #insertBefore(next: LogEntry, message: Message): void {
    const place = this.#placeAfter(next) - 1
    // Halving a gap has an end; then all numbers are given anew.
    if (!this.#isRoomBefore(next, place)) this.#renumber()
    this.#insert(place, this.#middle(next, place), message, SAID)
  }

  #isAnsweredAfter(entry: LogEntry): boolean {
    return this.#lastAnswer !== undefined && this.#lastAnswer.at > entry.at
  }

  #isRoomBefore(next: LogEntry, place: number): boolean {
    const middle = this.#middle(next, place)
    return middle < next.at && middle > (this.#entries[place - 1]?.at ?? Number.NEGATIVE_INFINITY)
  }

  #middle(next: LogEntry, place: number): number {
    return ((this.#entries[place - 1]?.at ?? next.at - 2) + next.at) / 2
  }

  #insert(
    place: number,
    at: number,
    message: Message,
    how: { readonly isError: boolean; readonly isFromToolSpan: boolean },
  ): void {
    const entry: LogEntry = { at, message, ...how }
    this.#entries.splice(place, 0, entry)
    if (message.role === 'assistant') this.#lastAnswer = laterOf(this.#lastAnswer, entry)
    for (const key of sentKeys(message)) {
      const known = this.#byKey.get(key) ?? []
      this.#byKey.set(key, known)
      known.splice(countUpTo(known, at), 0, entry)
    }
    this.#calls.hear(message)
  }

  #renumber(): void {
    for (const [place, entry] of this.#entries.entries()) entry.at = place + 1
  }

  #placeAfter(entry: LogEntry): number {
    return countUpTo(this.#entries, entry.at)
  }
}

const SAID = { isError: false, isFromToolSpan: false }

function laterOf(one: LogEntry | undefined, other: LogEntry | undefined): LogEntry | undefined {
  if (!one || !other) return one ?? other
  return one.at > other.at ? one : other
}

function firstAfter(entries: readonly LogEntry[], after: LogEntry | undefined): LogEntry | undefined {
  return entries[after ? countUpTo(entries, after.at) : 0]
}

/** How many entries of an ordered list have at most this number. */
function countUpTo(entries: readonly LogEntry[], at: number): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((entries[middle] as LogEntry).at <= at) low = middle + 1
    else high = middle
  }
  return low
}
