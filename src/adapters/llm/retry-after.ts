import type { IncomingHttpHeaders } from 'node:http'

/**
 * How long a provider asks to be left alone, in milliseconds: from `retry-after-ms`, or from `retry-after`, which is seconds or
 * a date. Undefined when it does not say, or says something that means nothing.
 */
export function retryAfterMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const exact = numberOf(headers['retry-after-ms'])
  if (exact !== undefined) return exact
  const text = headers['retry-after']
  const seconds = numberOf(text)
  if (seconds !== undefined) return Math.ceil(seconds * 1_000)
  // Only what looks like a date: Date.parse takes a lone number for a year.
  if (text === undefined || !/[a-z]{3}.*\d{2}:\d{2}/i.test(text)) return undefined
  const atMs = Date.parse(text)
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs)
}

function numberOf(text: string | string[] | undefined): number | undefined {
  return typeof text === 'string' && /^\s*\d{1,9}(\.\d+)?\s*$/.test(text) ? Number(text) : undefined
}
