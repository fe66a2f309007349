import type { Logger } from '../../src/ports/logger.ts'

/** A logger that keeps its lines, so that a test can look for what must or must not be in them. */
export function recordingLogger(lines: string[]): Logger {
  const record = (level: string) => (fields: object, message: string) => {
    lines.push(`${level} ${message} ${JSON.stringify(fields, errorAsText)}`)
  }
  return { debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') }
}

function errorAsText(_key: string, value: unknown): unknown {
  return value instanceof Error ? `${value.stack}` : value
}
