import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FuzzKind, type inputRandom, runFuzzKind } from './fuzz-kind.ts'

/** A target that stumbles over every list with a 7 in it, and over nothing else. */
class StumblingTarget implements FuzzKind<number[]> {
  readonly name = 'routes'
  readonly concurrency = 4
  readonly tried: string[] = []
  readonly health: readonly string[]

  constructor(health: readonly string[] = []) {
    this.health = health
  }

  make(random: ReturnType<typeof inputRandom>): number[] {
    return Array.from({ length: 1 + random.below(6) }, () => random.below(40))
  }

  async attempt(input: number[]): Promise<string | undefined> {
    this.tried.push(input.join())
    return input.includes(7) ? `stumbles over ${input.length} numbers` : undefined
  }

  *smaller(input: number[]): Iterable<number[]> {
    for (const at of input.keys()) yield input.toSpliced(at, 1)
  }

  checkHealth = async () => this.health
  finish = async () => []
  counts = () => ({})
  close = async () => {}
}

test('an input that breaks a promise is found, counted and made small', async () => {
  const { findings, inputs } = await runFuzzKind(new StumblingTarget(), { seed: 1, inputs: 500 })
  assert.equal(inputs, 500)
  assert.equal(findings.length, 1)
  assert.deepEqual(findings[0]?.input, [7])
  assert.ok((findings[0]?.times ?? 0) > 10, `${findings[0]?.times} times`)
})

test('the same seed makes the same inputs, and another seed others', async () => {
  const inputsOf = async (seed: number) => {
    const target = new StumblingTarget()
    target.attempt = async (input) => void target.tried.push(input.join())
    await runFuzzKind(target, { seed, inputs: 50 })
    return target.tried
  }
  assert.deepEqual(await inputsOf(1), await inputsOf(1))
  assert.notDeepEqual(await inputsOf(1), await inputsOf(2))
})

test('a target that is not well is a finding of its own', async () => {
  const { findings } = await runFuzzKind(new StumblingTarget(['the process ended']), { seed: 1, inputs: 0 })
  assert.deepEqual(
    findings.map(({ problem, input }) => [problem, input]),
    [['the process ended', undefined]],
  )
})
