import type { Channel, ModelProtocol } from './model-protocol.ts'

/** How many pairs of server and model are remembered; the one that was not used for longest is forgotten. */
const HABITS_MAX = 1_000

/** After so many answers in a row that are not JSON, a server that took the schema is taken not to keep to it. */
const STRIKES_MAX = 2

/** The known habits of one model at one server. */
export interface ServerHabits {
  /** Place of the channel in the protocol's list. */
  channelAt: number
  /** Parameters that it turned away. */
  readonly lacks: Set<string>
  /** Answers in a row that were not JSON although the server was given a schema to keep to. */
  strikes: number
}

/** Remembers what servers can do, until the process ends. */
export function createHabitMemory(): { of(server: URL, model: string): ServerHabits } {
  const known = new Map<string, ServerHabits>()
  return {
    of(server, model) {
      const key = `${server.origin}${server.pathname} ${model}`
      const habits = known.get(key) ?? { channelAt: 0, lacks: new Set<string>(), strikes: 0 }
      known.delete(key)
      known.set(key, habits)
      const [oldest] = known.keys()
      if (known.size > HABITS_MAX && oldest !== undefined) known.delete(oldest)
      return habits
    },
  }
}

/**
 * A server that keeps to a schema cannot answer with anything but JSON. One that does so again and again ignores the
 * schema without saying so, and gets the next channel, in which the schema is told in the prompt.
 */
export function noteAnswer(
  habits: ServerHabits,
  protocol: ModelProtocol,
  channel: Channel,
  text: string,
): void {
  if (channel !== 'json_schema' || text === '') return
  habits.strikes = isJson(text) ? 0 : habits.strikes + 1
  if (habits.strikes < STRIKES_MAX) return
  habits.strikes = 0
  if (protocol.channels[habits.channelAt] === channel && habits.channelAt + 1 < protocol.channels.length)
    habits.channelAt++
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
