// The Traceloop SDK around the client of OpenAI: a workflow with a task and a tool.

import * as traceloop from '@traceloop/node-server-sdk'
import OpenAI from 'openai'
import { apiKey, exchanges, modelUrl, otlpUrl, system, withTool } from './rehearsal.mjs'

traceloop.initialize({
  appName: 'matrix',
  baseUrl: otlpUrl,
  apiKey,
  silenceInitializationMessage: true,
  instrumentModules: { openAI: OpenAI },
})
const client = new OpenAI({ apiKey: 'none', baseURL: `${modelUrl}/v1` })

const ask = (question) =>
  traceloop.withTask(
    { name: 'ask' },
    async (content) => {
      const { choices } = await client.chat.completions.create({
        model: 'gpt-4o',
        messages: [
          { role: 'system', content: system },
          { role: 'user', content },
        ],
      })
      return choices[0].message.content
    },
    question,
  )

const guide = (question) =>
  traceloop.withWorkflow(
    { name: 'guide', associationProperties: { session_id: 'conversation-1' } },
    async (asked) => {
      await traceloop.withTool({ name: withTool.tool }, async () => withTool.result, withTool.arguments)
      return ask(asked)
    },
    question,
  )

for (const { prompt } of exchanges) await guide(prompt)
await traceloop.forceFlush()
