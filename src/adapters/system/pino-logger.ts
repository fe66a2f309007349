import { pino } from 'pino'
import type { Logger } from '../../ports/logger.ts'

/** JSON lines on standard output. Should a header ever reach a log line, the key in it is not written. */
export function createLogger(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: ['authorization', '*.authorization', '*.*.authorization'], censor: '[redacted]' },
    formatters: { level: (label) => ({ level: label }) },
  })
}
