import { Time } from '../../ui/time.tsx'

const MOMENT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/

/** A sentence of the service with its moments in the reader's own zone. */
export function TextWithTimes({ text }: { text: string }) {
  return text.split(MOMENT).map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: a part has no name but its place.
    at % 2 === 1 ? <Time key={at} at={part} /> : <span key={at}>{part}</span>,
  )
}
