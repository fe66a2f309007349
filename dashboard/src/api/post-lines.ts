import { ApiError } from './client.ts'
import { forgetKey, readKey } from './key.ts'

/** Sends a request and gives each line of its answer as soon as it comes, read as JSON. Ends when the signal aborts. */
export async function* postLines<Line>(
  path: `/v2/${string}`,
  body: unknown,
  signal: AbortSignal,
): AsyncGenerator<Line> {
  const headers = { authorization: `Bearer ${readKey() ?? ''}`, 'content-type': 'application/json' }
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body), signal }).catch(
    (error: unknown) => {
      if (signal.aborted) throw error
      throw new ApiError(0, 'The server cannot be reached. Is it running?')
    },
  )
  if (response.status === 401) forgetKey()
  if (!response.ok || !response.body) {
    const told = (await response.json().catch(() => undefined)) as { error?: string } | undefined
    throw new ApiError(response.status, told?.error ?? `The server answered ${response.status}.`)
  }
  let rest = ''
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') yield JSON.parse(line) as Line
  }
}
