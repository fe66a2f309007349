import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

/**
 * A server that speaks as much of OpenAI's Chat Completions as a client needs to get fixed answers, one after the other and
 * the last again and again: texts, or messages with calls of tools. Ends with the tests.
 */
export async function startFakeOpenAi(...answers: readonly (string | object)[]): Promise<string> {
  let asked = 0
  const server = http.createServer(async (request, response) => {
    let body = ''
    for await (const part of request.setEncoding('utf8')) body += part
    const answer = answers[Math.min(asked++, answers.length - 1)]
    const message = { role: 'assistant', ...(typeof answer === 'string' ? { content: answer } : answer) }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1_700_000_000,
        model: JSON.parse(body).model,
        choices: [{ index: 0, finish_reason: 'stop', message }],
        usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
      }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}
