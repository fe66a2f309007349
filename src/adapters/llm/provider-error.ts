/** A provider's error, taken out of the body of its answer. */
export interface ProviderError {
  /** For people; may be empty. */
  readonly message: string
  /** Everything in which the provider names what it did not like, and nothing that it repeats of the request. */
  readonly words: string
  /** In the body instead of the status, as some routers do. */
  readonly status?: number
  /** Google tells in the body how long to wait. */
  readonly retryDelayMs?: number
  /** Azure answers a prompt that its filter does not let through like a bad request. */
  readonly isContentFilter: boolean
}

/** Fields that say what is wrong. Others, such as `input`, repeat the request, and judged text must not steer anything. */
const WORDS = ['message', 'msg', 'param', 'code', 'type', 'status', 'loc', 'detail', 'error', 'error_message']

/** Longest text that is looked at, in characters, and deepest nesting. */
const WORDS_CHARS_MAX = 4_096
const DEPTH_MAX = 6

/** Reads the body of an error; a body that is no JSON says nothing. */
export function readProviderError(body: string): ProviderError {
  const value = jsonOf(body)
  const words: string[] = []
  collect(value, words, 0)
  const text = words.join(' ').slice(0, WORDS_CHARS_MAX)
  const status = Number(find(value, 'code') ?? find(value, 'status'))
  const retryDelay = /^(\d{1,6}(?:\.\d+)?)s$/.exec(String(find(value, 'retryDelay') ?? ''))?.[1]
  return {
    message: messageOf(value),
    words: text,
    ...(Number.isInteger(status) && status >= 400 && status < 600 ? { status } : {}),
    ...(retryDelay === undefined ? {} : { retryDelayMs: Math.ceil(Number(retryDelay) * 1_000) }),
    isContentFilter: find(value, 'code') === 'content_filter',
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function collect(value: unknown, words: string[], depth: number): void {
  if (typeof value === 'string') words.push(value)
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return
  for (const [name, item] of Object.entries(value)) {
    if (Array.isArray(value) || WORDS.includes(name)) collect(item, words, depth + 1)
  }
}

function messageOf(value: unknown): string {
  for (const name of ['message', 'msg', 'detail', 'error']) {
    const found = find(value, name)
    if (typeof found === 'string') return found
  }
  return ''
}

/** The first simple value of that name, the outermost first. */
function find(value: unknown, name: string, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return undefined
  const own = (value as Record<string, unknown>)[name]
  if (typeof own === 'string' || typeof own === 'number') return own
  for (const item of Object.values(value)) {
    const found = find(item, name, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}
