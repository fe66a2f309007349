import type { RawAnswer } from '../fuzzed-service.ts'

/** Most values that are kept for one placeholder. */
const VALUES_MAX = 50
/** Lists in answers whose elements have an id, and the placeholder that stands for one. */
const LISTS: Readonly<Record<string, string>> = {
  monitors: 'monitor',
  evaluations: 'evaluation',
  jobs: 'job',
}

/** Ids that only the service can make, so that requests can name things that exist. */
export class KnownValues {
  readonly #values = new Map<string, string[]>()
  #turn = 0

  constructor(known: Readonly<Record<string, readonly string[]>>) {
    for (const [name, values] of Object.entries(known)) this.#values.set(name, [...values])
  }

  /** A text with an id in place of each placeholder. */
  fill(text: string): string {
    return text.replaceAll(/@@(\w+)@@/g, (_whole, name: string) => {
      const values = this.#values.get(name) ?? []
      return values[this.#turn++ % (values.length || 1)] ?? 'unknown'
    })
  }

  /** Keeps the ids that an answer tells. */
  learn({ status, headers, body }: RawAnswer): void {
    if (
      status >= 300 ||
      body.length === 0 ||
      body.length > 200_000 ||
      !headers['content-type']?.startsWith('application/json')
    )
      return
    const answer = JSON.parse(body.toString()) as Record<string, unknown>
    for (const [name, value] of Object.entries(Object(answer) as Record<string, unknown>)) {
      const list = LISTS[name]
      if (list && Array.isArray(value)) for (const { id } of value.slice(0, 5)) this.#add(list, id)
      if (name === 'next_cursor') this.#add('cursor', value)
      if (name === 'execution_id') this.#add('execution', value)
    }
    if ('kind' in answer && 'state' in answer) this.#add('job', answer['id'])
  }

  #add(name: string, value: unknown): void {
    if (typeof value !== 'string') return
    const values = this.#values.get(name) ?? []
    if (values.includes(value)) return
    values.push(value)
    if (values.length > VALUES_MAX) values.shift()
    this.#values.set(name, values)
  }
}
