/**
 * Where JSON.parse gave up, for example ` at position 17 (line 1 column 18)`, or nothing when it does not say. V8 quotes
 * the text itself in its messages; only the place is passed on, never the content.
 */
export function jsonFaultPlace(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  const place = /at position \d+(?: \(line \d+ column \d+\))?/.exec(message)
  if (place) return ` ${place[0]}`
  return message.includes('end of JSON input') ? ' at its end' : ''
}
