import type { Callable } from '../../support/spans.ts'
import { compareCalls } from './check-calls.ts'
import type { Client, ExpectedSpan } from './client.ts'
import type { Exchange } from './conversation.ts'
import type { AnsweredCall } from './recording.ts'

const SETUP = 'client-matrix'
const LOOK_MS = 20

/** A line of the matrix. */
export interface Row {
  readonly spansSent: number
  readonly spansStored: number
  /** Spans in which a conversation, a tool or documents were found. */
  readonly spansMapped: number
  readonly inputsRight: number
  readonly scoresExpected: number
  readonly scoresFound: number
  /** Calls that are no spans, and those of them that were answered as expected. */
  readonly callsMade: number
  readonly callsRight: number
  /** Everything that is not as it should be, in words; empty where the client works. */
  readonly faults: readonly string[]
}

// biome-ignore lint/suspicious/noExplicitAny: answers of several shapes are looked into.
type Json = any

/** Sets up the monitor that is to score the calls of a client's model. Comes before its spans. */
export async function prepareFor(client: Client, service: Callable): Promise<void> {
  const body = {
    external_id: SETUP,
    selector: client.selector,
    // Its two inputs are the prompt and the completion, so that one score checks both.
    evaluators: ['char-count-ratio'],
    evaluator_configs: [{ slug: 'char-count-ratio', scope: 'span' }],
  }
  const answer = await service.call('POST', '/v2/auto-monitor-setups', { body })
  if (answer.status !== 201) throw new Error(answer.text)
}

/** Waits until the service has done its work on so many spans of a client, and compares. */
export async function checkClient(
  client: Client,
  service: Callable,
  sent: { readonly spans: number; readonly calls: readonly AnsweredCall[] },
  msMax: number,
): Promise<Row> {
  const spansSent = sent.spans
  const deadline = Date.now() + msMax
  const until = async <T>(look: () => Promise<T>, isDone: (seen: T) => boolean): Promise<T> => {
    for (;;) {
      const seen = await look()
      if (isDone(seen) || Date.now() > deadline) return seen
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }
  const stored = await until(
    () => storedSpans(service),
    (spans) => spans.length >= spansSent,
  )
  const expected = client.noScores === undefined ? client.calls : []
  const spans = await until(
    () => readSpans(service, stored),
    (found) => found.length >= stored.length,
  )
  const scored = await until(
    () => scoredInputs(service, spans),
    (found) => found.length >= expected.length,
  )
  const inputFaults = compareInputs(expected, scored)
  const spanFaults = (client.spans ?? []).flatMap((one) => compareSpan(one, spans))
  const calls = compareCalls(client.api ?? [], sent.calls)
  const isMissing = stored.length !== spansSent
  return {
    spansSent,
    spansStored: stored.length,
    spansMapped: spans.filter(isMapped).length,
    inputsRight: expected.filter((exchange, at) => isEqual(exchange, scored[at])).length,
    scoresExpected: expected.length,
    scoresFound: scored.length,
    callsMade: sent.calls.length,
    callsRight: calls.right,
    faults: [
      ...(isMissing ? [`${spansSent} spans were sent and ${stored.length} are stored`] : []),
      ...inputFaults,
      ...spanFaults,
      ...calls.faults,
    ],
  }
}

async function storedSpans(service: Callable): Promise<Json[]> {
  const { json } = await service.call('GET', '/v2/warehouse/spans?from_timestamp_sec=0&limit=1000')
  return json.spans.data
}

async function scoredInputs(service: Callable, spans: readonly Json[]): Promise<Exchange[]> {
  // Spans may begin within a millisecond of each other, which only their trace tells apart.
  const startOf = new Map(spans.map(({ span_id: id, start_ms: startMs }) => [id, startMs]))

  const { json } = await service.call('GET', `/v2/evaluations?limit=1000&external_id=${SETUP}`)
  const scored = (json.evaluations as Json[]).filter(({ status }) => status === 'scored')
  const details = await Promise.all(
    scored.map(async ({ id }) => (await service.call('GET', `/v2/evaluations/${id}`)).json),
  )
  return details
    .toSorted((a, b) => startOf.get(a.span_id) - startOf.get(b.span_id))
    .map(({ input }) => ({ prompt: input?.denominator_text, completion: input?.numerator_text }))
}

/** The spans with their tools and documents, which are shown with their trace only. */
async function readSpans(service: Callable, stored: readonly Json[]): Promise<Json[]> {
  const traces = [...new Set(stored.map(({ trace_id: id }) => id))]
  const answers = await Promise.all(traces.map((id) => service.call('GET', `/v2/traces/${id}?limit=1000`)))
  return answers.flatMap(({ status, json }) => (status === 200 ? json.spans : []))
}

function compareInputs(expected: readonly Exchange[], found: readonly Exchange[]): string[] {
  const faults = expected.flatMap((exchange, at) =>
    isEqual(exchange, found[at])
      ? []
      : [`call ${at + 1}: expected ${JSON.stringify(exchange)}, scored ${JSON.stringify(found[at])}`],
  )
  const extra = found.slice(expected.length).map((one) => `scored unexpectedly: ${JSON.stringify(one)}`)
  return [...faults, ...extra]
}

function isEqual(expected: Exchange, found: Exchange | undefined): boolean {
  return found?.prompt === expected.prompt && found.completion === expected.completion
}

function compareSpan({ name, ...expected }: ExpectedSpan, spans: readonly Json[]): string[] {
  const named = spans.filter(
    ({ span_name: one }) => one === name || one.startsWith(`${name}.`) || one.startsWith(`${name} `),
  )
  const seen = named.map(shown)
  const isThere = seen.some((one) =>
    Object.entries(expected).every(([key, value]) => one[key as keyof typeof one]?.includes(value)),
  )
  return isThere
    ? []
    : [`span ${name}: expected ${JSON.stringify(expected)}, read ${JSON.stringify(seen).slice(0, 2_000)}`]
}

/** Each thing as a list with the one text that counts, or with all of them where the order says nothing. */
function shown(span: Json) {
  return {
    prompt: textsOf(span.prompts, 'llm.prompts', 'user').slice(-1),
    completion: textsOf(span.completions, 'llm.completions', 'assistant').slice(-1),
    tool: (span.tool_calls as Json[]).map(({ name }) => name),
    toolArguments: (span.tool_calls as Json[]).map(({ arguments: given }) => given),
    toolResult: (span.tool_results as Json[]).map(({ result }) => result),
    document: span.documents as string[],
    image: (span.images as Json[]).map(({ name, bytes }) => `${name} ${bytes}`),
  }
}

function textsOf(messages: Readonly<Record<string, string>>, prefix: string, role: string): string[] {
  return Object.entries(messages)
    .filter(([key, value]) => key.endsWith('.role') && key.startsWith(prefix) && value === role)
    .map(([key]) => messages[key.replace(/role$/, 'content')] ?? '')
    .filter((text) => text !== '')
}

function isMapped(span: Json): boolean {
  const parts = [span.prompts, span.completions, span.documents, span.tool_calls, span.tool_results]
  return parts.some((part) => Object.keys(part).length > 0)
}
