import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

/** A server that speaks as much of OpenAI's Chat Completions as a client needs to get one fixed answer; ends with the tests. */
export async function startFakeOpenAi(answer: string): Promise<string> {
  const server = http.createServer(async (request, response) => {
    let body = ''
    for await (const part of request.setEncoding('utf8')) body += part
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1_700_000_000,
        model: JSON.parse(body).model,
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: answer } }],
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
