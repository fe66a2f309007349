import { NoVerdict } from '../../domain/no-verdict.ts'
import type { Judge, JudgeQuestion, Replaced } from '../../ports/judge.ts'

/**
 * Keeps personal data and secrets in the process. Every finding of our own detectors in judged text is replaced by a token
 * before a question leaves, and put back into the answer, so that quotes can still be checked against the source. Detecting
 * is work for a processor: it belongs into the thread that runs the evaluator.
 */

/** `fail_closed` asks no judge where something is found. */
export type PrivacyMode = 'off' | 'on' | 'fail_closed'

/** Smallest confidence of a finding of personal data. */
const CONFIDENCE_MIN = 0.8
/** Times that a text is looked at again after something was taken out of it; then all of it is replaced. */
const ROUNDS_MAX = 4
/** Values of this length are looked for in all other places too; shorter ones would be found in ordinary words. */
const KNOWN_CHARS_MIN = 4
const KNOWN_CHARS_MAX = 500
const KNOWN_VALUES_MAX = 1_000

/** A question that may leave the process. */
export interface ProtectedQuestion<Question> {
  readonly question: Question
  /** Puts back what was replaced, in all texts of an answer. */
  restore<Answer>(answer: Answer): Answer
  readonly replaced: Replaced
}

interface Finding {
  readonly kind: string
  readonly start: number
  readonly end: number
}

/** A judge behind the gate: the same promises, but nothing private reaches the one that it asks. */
export function guardJudge(judge: Judge, mode: PrivacyMode): Judge {
  if (mode === 'off') return judge
  return {
    async ask(question) {
      const { question: safe, restore, replaced } = await protectQuestion(question)
      refuseWhenClosed(mode, replaced)
      return restore(await judge.ask({ ...safe, replaced }))
    },
    async generate(prompt) {
      const tokens = await newTokens([prompt])
      const [safe = ''] = tokens.protect()
      refuseWhenClosed(mode, tokens.replaced)
      const { text, logprobs } = await judge.generate(safe, tokens.replaced)
      return { text: tokens.restore(text), logprobs }
    },
    note: (name, evidence) => judge.note(name, evidence),
  }
}

/** Replaces what is private in the data of a question; texts of ours, which are not data, stay as they are. */
export async function protectQuestion<Question extends JudgeQuestion>(
  question: Question,
): Promise<ProtectedQuestion<Question>> {
  const parts = question.messages.flatMap((message) => message.parts)
  const tokens = await newTokens(parts.flatMap((part) => (typeof part === 'string' ? [] : [part.data])))
  const safe = tokens.protect().values()
  const messages = question.messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) =>
      typeof part === 'string' ? part : { ...part, data: safe.next().value ?? '' },
    ),
  }))
  return {
    question: { ...question, messages },
    restore: (answer) => restoreIn(answer, (text) => tokens.restore(text)),
    replaced: tokens.replaced,
  }
}

function refuseWhenClosed(mode: PrivacyMode, replaced: Replaced): void {
  const kinds = Object.keys(replaced)
  if (mode !== 'fail_closed' || kinds.length === 0) return
  throw new NoVerdict(
    'abstained',
    `the text holds what must not leave this service (${kinds.join(', ')}), and ASSAY_PRIVACY_GATE=fail_closed asks no ` +
      'judge about such a text',
  )
}

/** Loaded with the first question: the rules of the detectors are long, and most services have the gate off. */
async function newTokens(texts: readonly string[]): Promise<PrivacyTokens> {
  const [{ findPii }, { findSecrets }] = await Promise.all([
    import('../../evaluators/pii-detector/find-pii.ts'),
    import('../../evaluators/secrets-detector/find-secrets.ts'),
  ])
  const find = (text: string): Finding[] => {
    const secrets = findSecrets(text).map((place) => ({ ...place, kind: 'secret' }))
    const personal = findPii(text).filter(({ confidence }) => confidence >= CONFIDENCE_MIN)
    return withoutOverlaps([...secrets, ...personal])
  }
  return new PrivacyTokens(texts, find)
}

/** The tokens of one question: the same value has the same token everywhere, and no token occurs in the texts. */
class PrivacyTokens {
  readonly #texts: readonly string[]
  readonly #find: (text: string) => Finding[]
  readonly #tokenOf = new Map<string, string>()
  readonly #valueOf = new Map<string, string>()
  readonly #kindOf = new Map<string, string>()
  readonly #numbers = new Map<string, number>()
  readonly #replaced: Record<string, number> = {}

  constructor(texts: readonly string[], find: (text: string) => Finding[]) {
    this.#texts = texts
    this.#find = find
  }

  /** How many places were replaced, by kind. */
  get replaced(): Replaced {
    return this.#replaced
  }

  /**
   * The texts without what the detectors find. A value found in one place is private in every other too, also where
   * nothing around it gives it away: a password that is also an account name, a name without a surname.
   */
  protect(): string[] {
    const safe = this.#texts.map((text) => this.#protect(text))
    const known = this.#knownValues()
    return known.size > 0 ? safe.map((text) => this.#replace(text, placesOf(text, known))) : safe
  }

  /** Looks at the text again after each time, because what is left may look different then. */
  #protect(text: string): string {
    let safe = text
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const findings = this.#find(safe).filter((finding) => !this.#isOwnToken(safe, finding))
      if (findings.length === 0) return safe
      safe = this.#replace(safe, findings)
    }
    return this.#replace(safe, [{ kind: 'text', start: 0, end: safe.length }])
  }

  restore(text: string): string {
    return text.replace(TOKEN, (token) => this.#valueOf.get(token) ?? token)
  }

  /** The values that have tokens, with their kinds. */
  #knownValues(): Map<string, string> {
    const values = [...this.#kindOf].map(([value, kind]): [string, string] => [
      value.replace(WRAPPING, ''),
      kind,
    ])
    const usable = values.filter(([{ length }]) => length >= KNOWN_CHARS_MIN && length <= KNOWN_CHARS_MAX)
    return new Map(usable.slice(0, KNOWN_VALUES_MAX))
  }

  #replace(text: string, findings: readonly Finding[]): string {
    let [safe, from] = ['', 0]
    for (const { kind, start, end } of findings) {
      safe += text.slice(from, start) + this.#token(kind, text.slice(start, end))
      from = end
      this.#replaced[kind] = (this.#replaced[kind] ?? 0) + 1
    }
    return safe + text.slice(from)
  }

  #token(kind: string, found: string): string {
    // A value found in a later round may hold tokens of an earlier one.
    const value = this.restore(found)
    const known = this.#tokenOf.get(value)
    if (known !== undefined) return known
    const name = kind.replace(/[A-Z]/g, '_$&').toUpperCase()
    for (;;) {
      const number = (this.#numbers.get(name) ?? 0) + 1
      this.#numbers.set(name, number)
      const token = `[${name}_${number}]`
      if (this.#texts.some((text) => text.includes(token))) continue
      this.#tokenOf.set(value, token)
      this.#valueOf.set(token, value)
      this.#kindOf.set(value, kind)
      return token
    }
  }

  #isOwnToken(text: string, { start, end }: Finding): boolean {
    const rest = text.slice(start, end).replace(/^[[\s]+|[\]\s]+$/g, '')
    return this.#valueOf.has(`[${rest}]`)
  }
}

/** Characters around a found value that are not part of it. */
const WRAPPING = /^[\s"'`([{]+|[\s"'`)\]}.,;:]+$/g

/** Where the values stand as words; the longer go before those that are parts of them. */
function placesOf(text: string, known: ReadonlyMap<string, string>): Finding[] {
  const words = [...known.keys()]
    .toSorted((a, b) => b.length - a.length)
    .map((word) => word.replace(SPECIAL, '\\$&'))
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})(?![\\p{L}\\p{N}])`, 'gu')
  return Array.from(text.matchAll(pattern), ({ 0: value, index }) => ({
    kind: known.get(value) ?? 'text',
    start: index,
    end: index + value.length,
  }))
}

const SPECIAL = /[\\^$.*+?()[\]{}|]/g
const TOKEN = /\[[A-Z_]+_\d+\]/g

function withoutOverlaps(findings: Finding[]): Finding[] {
  const kept: Finding[] = []
  for (const finding of findings.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept.at(-1)
    if (!last || finding.start >= last.end) kept.push(finding)
    // Both are private, so what one of them covers is.
    else if (finding.end > last.end) kept[kept.length - 1] = { ...last, end: finding.end }
  }
  return kept
}

function restoreIn<Value>(value: Value, restore: (text: string) => string): Value {
  const walk = (item: unknown): unknown => {
    if (typeof item === 'string') return restore(item)
    if (Array.isArray(item)) return item.map(walk)
    if (typeof item !== 'object' || item === null) return item
    return Object.fromEntries(Object.entries(item).map(([name, field]) => [name, walk(field)]))
  }
  return walk(value) as Value
}
