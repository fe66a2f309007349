// A worker whose process ends as soon as it is handed a message that says so.

import { openNatsSpanStream } from '../../src/adapters/nats/nats-span-stream.ts'
import { textOf } from './queued-requests.ts'
import { recordingLogger } from './recording-logger.ts'

const [prefix = '', ...servers] = process.argv.slice(2)
const stream = await openNatsSpanStream({
  servers,
  prefix,
  bytesMax: 100_000_000,
  attemptsMax: 2,
  ackWaitMs: 1_000,
  logger: recordingLogger([]),
})
stream.consume(
  async (request) => {
    if (textOf(request) === 'deadly') process.kill(process.pid, 'SIGKILL')
    return 'done'
  },
  { messagesMax: 4, bytesMax: 1_000_000 },
  { countRedelivered: () => {}, countParked: () => {} },
)
