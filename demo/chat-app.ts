import { randomBytes } from 'node:crypto'
import { type DemoApp, messagesFor } from './conversations.ts'
import type { ChatMessage } from './model-server.ts'

/** Where an application sends its spans, and with which key. */
export interface Destination {
  readonly url: string
  readonly apiKey: string
}

type Span = Record<string, unknown>

/** The part of a Chat Completions answer that is read. */
interface Completion {
  readonly model: string
  readonly choices: readonly { readonly message: ChatMessage; readonly finish_reason: string }[]
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

/** One span for each call of the model, in OpenTelemetry's words for language models, as an SDK would make it. */
export class ChatApp {
  readonly #app: DemoApp
  readonly #modelUrl: string
  readonly #spans: Span[] = []

  constructor(app: DemoApp, modelUrl: string) {
    this.#app = app
    this.#modelUrl = modelUrl
  }

  /** Asks the model one of the application's questions and keeps the span of the call. */
  async converse(at: number): Promise<void> {
    const { model } = this.#app
    const messages = messagesFor(this.#app, at)
    const startNano = nowNano()
    const response = await fetch(`${this.#modelUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages }),
    })
    const answer = (await response.json()) as Completion
    const choice = answer.choices[0] as Completion['choices'][number]
    this.#spans.push({
      traceId: randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      name: `chat ${model}`,
      kind: 3,
      startTimeUnixNano: String(startNano),
      endTimeUnixNano: String(nowNano()),
      attributes: Object.entries({
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': model,
        'gen_ai.response.model': answer.model,
        'gen_ai.input.messages': messagesText(messages),
        'gen_ai.output.messages': messagesText([choice.message], choice.finish_reason),
        'gen_ai.usage.input_tokens': answer.usage.prompt_tokens,
        'gen_ai.usage.output_tokens': answer.usage.completion_tokens,
      }).map(([key, value]) => ({
        key,
        value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
      })),
    })
  }

  /** Sends what has come together as one OTLP request. */
  async export({ url, apiKey }: Destination): Promise<void> {
    const spans = this.#spans.splice(0)
    if (spans.length === 0) return
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: this.#app.service } }] }
    const response = await fetch(`${url}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({
        resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'demo' }, spans }] }],
      }),
    })
    if (!response.ok) throw new Error(`the spans were answered ${response.status}: ${await response.text()}`)
  }
}

function messagesText(messages: readonly ChatMessage[], finishReason?: string): string {
  return JSON.stringify(
    messages.map(({ role, content }) => ({
      role,
      parts: [{ type: 'text', content }],
      ...(finishReason === undefined ? {} : { finish_reason: finishReason }),
    })),
  )
}

function nowNano(): bigint {
  return BigInt(Date.now()) * 1_000_000n
}
