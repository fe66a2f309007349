import { parentPort, workerData } from 'node:worker_threads'
import { traceFields } from '../../src/domain/trace-fields/trace-fields.ts'
import type { Span } from '../../src/lib/otlp/span.ts'
import { type SampleSpan, spansOfTrace } from './trace-case.ts'

/** The trace that the thread reads. */
export interface LongTrace {
  readonly shape: 'wide' | 'deep' | 'repeating'
  readonly spans: number
}

/** The figures of the reading. */
export interface LongTraceAnswer {
  readonly steps: number
  readonly isSampled: boolean
  readonly messages: number
  readonly chars: number
  /** Prompts that are followed by their own answer. */
  readonly pairs: number
  readonly first: string
  readonly last: string
  readonly failed: number
  /** Processor time of reading it. */
  readonly ms: number
}

const { shape, spans: count } = workerData as LongTrace
const sentence = 'A sentence of some length, such as applications send. '.repeat(10)

const chat = (at: number, history: readonly object[] = []): SampleSpan => ({
  name: 'chat',
  attributes: {
    'gen_ai.input.messages': JSON.stringify([...history, { role: 'user', content: `question ${at}` }]),
    'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', content: `answer ${at} ${sentence}` }]),
  },
})

const failing = (at: number): SampleSpan => ({
  name: 'tool',
  error: `broken ${at}`,
  attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'search' },
})

function wide(): SampleSpan[] {
  const within = Array.from({ length: count - 1 }, (_, at) => (at % 1_000 === 500 ? failing(at) : chat(at)))
  return [{ name: 'root', within }]
}

/** Every call sends the whole conversation again. */
function repeating(): SampleSpan[] {
  const history: object[] = []
  return Array.from({ length: count }, (_, at) => {
    const span = chat(at, history)
    history.push(
      { role: 'user', content: `question ${at}` },
      { role: 'assistant', content: `answer ${at} ${sentence}` },
    )
    return span
  })
}

/** Every step is within the one before it. */
function chained(spans: readonly Span[]): Span[] {
  return spans.map((span, at) => {
    const outer = spans[at - 1]
    const endUnixNano = span.startUnixNano + BigInt(spans.length - at) * 1_000_000_000n
    return { ...span, endUnixNano, ...(outer && { parentSpanId: outer.spanId }) }
  })
}

const spans =
  shape === 'deep'
    ? chained(spansOfTrace(1, ...Array.from({ length: count }, (_, at) => chat(at))))
    : spansOfTrace(1, ...(shape === 'wide' ? wide() : repeating()))
const before = process.threadCpuUsage()
const fields = traceFields(spans)
const messages = fields?.get('messages') ?? []
const answer: LongTraceAnswer = {
  steps: fields?.steps ?? 0,
  isSampled: fields?.isSampled ?? false,
  messages: messages.length,
  chars: messages.reduce((sum, { content }) => sum + content.length, 0),
  pairs: messages.filter(({ content }, at) => {
    const answer = content.replace('question', 'answer')
    return content.startsWith('question') && messages[at + 1]?.content.startsWith(`${answer} `)
  }).length,
  first: messages[0]?.content ?? '',
  last: messages.at(-1)?.content ?? '',
  failed: fields?.get('tool_results')?.length ?? 0,
  ms: usedMs(),
}
parentPort?.postMessage(answer)

function usedMs(): number {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
