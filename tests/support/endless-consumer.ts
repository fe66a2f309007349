// A worker that takes a message and never finishes it; says so on standard output.

import { openNatsSpanStream } from '../../src/adapters/nats/nats-span-stream.ts'
import { recordingLogger } from './recording-logger.ts'

const [prefix = '', ackWaitMs, ...servers] = process.argv.slice(2)
const stream = await openNatsSpanStream({
  servers,
  prefix,
  bytesMax: 100_000_000,
  attemptsMax: 3,
  ackWaitMs: Number(ackWaitMs),
  logger: recordingLogger([]),
})
stream.consume(
  () => {
    process.stdout.write('taken\n')
    return new Promise(() => {})
  },
  { messagesMax: 1, bytesMax: 1_000_000 },
  { countRedelivered: () => {}, countParked: () => {} },
)
