import type { FuzzKind } from '../fuzz-kind.ts'
import { bodyOf, type EvaluatorInput, makeEvaluatorInput } from './evaluator-inputs.ts'
import { type Evaluated, EvaluatorThread } from './evaluator-thread.ts'
import { findGrowth } from './find-growth.ts'

const THREADS = 2
/** Attacks the evaluators in threads of this process: no text may make one fail, or take time out of proportion. */
export function openEvaluatorFuzz(): FuzzKind<EvaluatorInput> {
  return new EvaluatorFuzz()
}

class EvaluatorFuzz implements FuzzKind<EvaluatorInput> {
  readonly name = 'evaluators'
  readonly concurrency = THREADS
  readonly make = makeEvaluatorInput
  readonly #idle = Array.from({ length: THREADS }, () => new EvaluatorThread())
  readonly #counts: Record<string, number> = {}
  #steepest = 0

  async attempt(input: EvaluatorInput): Promise<string | undefined> {
    const thread = this.#idle.pop() ?? new EvaluatorThread()
    try {
      return input.growth ? await this.#grow(thread, input) : await this.#call(thread, input)
    } finally {
      this.#idle.push(thread)
    }
  }

  *smaller(input: EvaluatorInput): Iterable<EvaluatorInput> {
    const { growth } = input
    if (growth) {
      if (growth.prefix) yield { ...input, growth: { ...growth, prefix: '' } }
      if (growth.suffix) yield { ...input, growth: { ...growth, suffix: '' } }
      for (let at = 1; at < growth.unit.length; at++) {
        yield { ...input, growth: { ...growth, unit: growth.unit.slice(0, at) } }
        yield { ...input, growth: { ...growth, unit: growth.unit.slice(at) } }
      }
      return
    }
    for (const [field, value] of Object.entries(input.input)) {
      if (typeof value !== 'string') continue
      for (let length = value.length >> 1; length > 0; length >>= 1)
        for (let at = 0; at + length <= value.length && at < 16 * length; at += length)
          yield {
            ...input,
            input: { ...input.input, [field]: value.slice(0, at) + value.slice(at + length) },
          }
    }
  }

  async checkHealth(): Promise<readonly string[]> {
    return []
  }

  async finish(): Promise<readonly string[]> {
    return []
  }

  counts(): Record<string, number> {
    return { ...this.#counts, 'steepest growth': Math.round(this.#steepest * 10) / 10 }
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.map((thread) => thread.close()))
  }

  async #call(thread: EvaluatorThread, input: EvaluatorInput): Promise<string | undefined> {
    const evaluated = await thread.run({ slug: input.slug, body: bodyOf(input, 0) })
    this.#count(evaluated.outcome)
    return problemWith(input, evaluated)
  }

  async #grow(thread: EvaluatorThread, input: EvaluatorInput): Promise<string | undefined> {
    this.#count('growing')
    const { problem, growth } = await findGrowth(async (length) => {
      const evaluated = await thread.run({ slug: input.slug, body: bodyOf(input, length) })
      return problemWith(input, evaluated) ?? evaluated.cpuMs
    })
    this.#steepest = Math.max(this.#steepest, growth)
    return problem === undefined ? undefined : `${input.slug}: ${input.growth?.field} ${problem}`
  }

  #count(outcome: string): void {
    this.#counts[outcome] = (this.#counts[outcome] ?? 0) + 1
  }
}

function problemWith({ slug }: EvaluatorInput, { outcome, error, cpuMs }: Evaluated): string | undefined {
  if (outcome === 'failed') return `${slug} fails: ${error}`
  if (outcome === 'ended') return `${slug} does not end within ${Math.round(cpuMs)} ms of processor time`
  return undefined
}
