import { type Callable, chatSpan, eventually, sendSpans } from './spans.ts'

const HOUR_MS = 3_600_000
const HISTORY_HOURS = 30
const PER_HOUR = 6
const BAD_HOURS = 3
const BAD_PER_HOUR = 16
/** One of so many answers fails in the history, and all but one of so many after the deploy. */
const ONE_IN = 20
const GOOD_AFTER_ONE_IN = 4

/** The setup that judges the answers of these spans. */
export const FALLING_SETUP = {
  external_id: 'privacy',
  selector: { 'service.name': 'shop' },
  evaluators: ['pii-detector'],
}

const GOOD = 'Your parcel arrives on Monday.'
const BAD = 'Write to anna.schmidt@example.org.'

/** The beginning of the first span of the new version. */
export const fallAtMs = (nowMs: number) => Math.floor(nowMs / HOUR_MS) * HOUR_MS - BAD_HOURS * HOUR_MS

/** Sends a day and a half of good answers of version 1.0.0, then three hours of mostly bad ones of version 2.0.0. */
export async function sendFallingSpans(service: Callable, key = '', nowMs = Date.now()): Promise<number> {
  const fallMs = fallAtMs(nowMs)
  const spansOf = (
    name: string,
    count: number,
    fromMs: number,
    stepMs: number,
    badEvery: (at: number) => boolean,
  ) =>
    Array.from({ length: count }, (_, at) => {
      const completion = badEvery(at) ? BAD : GOOD
      const model = name === 'new' ? 'gpt-mini' : 'gpt-4o'
      const span = chatSpan(`${name} ${at}`, {
        prompt: 'Where is my parcel?',
        completion,
        attributes: { 'gen_ai.request.model': model },
      })
      const startUnixNano = BigInt(fromMs + at * stepMs) * 1_000_000n
      return { ...span, startUnixNano, endUnixNano: startUnixNano + 1_000_000n }
    })
  const before = HISTORY_HOURS * PER_HOUR
  const after = BAD_HOURS * BAD_PER_HOUR
  const old = spansOf(
    'old',
    before,
    fallMs - HISTORY_HOURS * HOUR_MS,
    HOUR_MS / PER_HOUR,
    (at) => at % ONE_IN === 7,
  )
  const fresh = spansOf('new', after, fallMs, HOUR_MS / BAD_PER_HOUR, (at) => at % GOOD_AFTER_ONE_IN !== 3)
  const options = key === '' ? {} : { key }
  const resource = { 'service.name': 'shop' }
  await sendSpans(service, old, { ...options, resource: { ...resource, 'service.version': '1.0.0' } })
  await sendSpans(service, fresh, { ...options, resource: { ...resource, 'service.version': '2.0.0' } })
  return fallMs
}

/** Waits for the incident that these spans make. */
export function untilIncident(service: Callable, options: { readonly key?: string } = {}) {
  return eventually(async () => {
    const { json } = await service.call('GET', '/v2/incidents?state=open', options)
    return json.incidents?.[0]
  }, 'an incident is opened')
}
