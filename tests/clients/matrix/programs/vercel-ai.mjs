// The Vercel AI SDK: two turns of one conversation, then a question that needs a tool.

import { createOpenAI } from '@ai-sdk/openai'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'
import { apiKey, exchanges, modelUrl, otlpUrl, system, withTool } from './rehearsal.mjs'

const exporter = new OTLPTraceExporter({
  url: `${otlpUrl}/v1/traces`,
  headers: { authorization: `Bearer ${apiKey}` },
})
const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'matrix' }),
  spanProcessors: [new BatchSpanProcessor(exporter)],
})
provider.register()

// From version 7 on, tracing is a package of its own.
const isPackage = process.env['AI_MAJOR'] === '7'
if (isPackage) {
  const [{ registerTelemetry }, { OpenTelemetry }] = [await import('ai'), await import('@ai-sdk/otel')]
  registerTelemetry(new OpenTelemetry())
}
const telemetry = isPackage
  ? { telemetry: { functionId: 'guide' } }
  : { experimental_telemetry: { isEnabled: true, functionId: 'guide' } }

const model = createOpenAI({ baseURL: `${modelUrl}/v1`, apiKey: 'none' }).chat('gpt-4o')
const messages = []
for (const { prompt } of exchanges) {
  messages.push({ role: 'user', content: prompt })
  const { text } = await generateText({ model, system, messages, ...telemetry })
  messages.push({ role: 'assistant', content: text })
}
await generateText({
  model,
  prompt: withTool.prompt,
  tools: {
    [withTool.tool]: tool({
      description: 'The number of people who live in a city.',
      inputSchema: z.object({ city: z.string() }),
      execute: () => JSON.parse(withTool.result),
    }),
  },
  stopWhen: stepCountIs(3),
  ...telemetry,
})
await provider.shutdown()
