import { createHash } from 'node:crypto'
import { Random } from '../otlp/random-traces.ts'

/** The parts of the service that are fuzzed, each in its own way. */
export const FUZZ_KINDS = ['routes', 'otlp', 'sockets', 'evaluators'] as const
export type FuzzKindName = (typeof FUZZ_KINDS)[number]

/** One way of attacking: makes inputs, tries them, and says what is wrong with the outcome. */
export interface FuzzKind<Input = unknown> {
  readonly name: FuzzKindName
  /** How many inputs are tried at the same time. */
  readonly concurrency: number
  /** An input that depends on nothing but the random numbers, so that a seed repeats it. */
  make(random: Random): Input
  /** Tries an input; the text says which promise it broke. */
  attempt(input: Input): Promise<string | undefined>
  /** Smaller inputs that may break the same promise, smallest first. */
  smaller(input: Input): Iterable<Input>
  /** Checks between inputs and after the last one: the target is alive, answers and stays within its memory. */
  checkHealth(): Promise<readonly string[]>
  /** Checks what can only be told after the last input. */
  finish(): Promise<readonly string[]>
  /** Counts that show that the inputs reached something. */
  counts(): Readonly<Record<string, number>>
  close(): Promise<void>
}

/** A broken promise and the smallest input found that breaks it; a promise broken by no single input has none. */
export interface Finding {
  readonly kind: FuzzKindName
  readonly problem: string
  readonly input?: unknown
  /** How many inputs broke it in the same way. */
  times: number
}

/** The result of a run. */
export interface FuzzReport {
  readonly kind: FuzzKindName
  readonly inputs: number
  readonly findings: readonly Finding[]
  readonly counts: Readonly<Record<string, number>>
  readonly seconds: number
}

/** How much is tried. */
export interface FuzzRun {
  readonly seed: number
  readonly inputs: number
  /** Ends the run early, with a report of what was tried until then. */
  readonly signal?: AbortSignal
  readonly onProgress?: (done: number) => void
}

/** Inputs between two looks at the health of the target. */
const HEALTH_EVERY = 500
/** Attempts that the search for a smaller input may take. */
const SHRINK_ATTEMPTS_MAX = 300
/** Different findings after which a run stops: more of them say nothing new. */
const FINDINGS_MAX = 40

/** Tries as many inputs as asked for and reports every promise that one of them broke. */
export async function runFuzzKind<Input>(kind: FuzzKind<Input>, run: FuzzRun): Promise<FuzzReport> {
  const startedMs = performance.now()
  const findings = new Map<string, Finding>()
  let next = 0
  const note = async (problem: string, input?: Input) => {
    const known = findings.get(signatureOf(problem))
    if (known) return void known.times++
    const finding = { kind: kind.name, problem, times: 1, ...(input === undefined ? {} : { input }) }
    findings.set(signatureOf(problem), finding)
    if (input !== undefined) findings.set(signatureOf(problem), await shrunk(kind, finding, input))
  }
  const lane = async () => {
    while (next < run.inputs && findings.size < FINDINGS_MAX && !run.signal?.aborted) {
      const index = next++
      const input = kind.make(inputRandom(run.seed, kind.name, index))
      const problem = await kind.attempt(input)
      if (problem !== undefined) await note(problem, input)
      if (index % HEALTH_EVERY === HEALTH_EVERY - 1) {
        for (const health of await kind.checkHealth()) await note(health)
        run.onProgress?.(index + 1)
      }
    }
  }
  await Promise.all(Array.from({ length: kind.concurrency }, lane))
  for (const problem of [...(await kind.checkHealth()), ...(await kind.finish())]) await note(problem)
  return {
    kind: kind.name,
    inputs: next,
    findings: [...findings.values()],
    counts: kind.counts(),
    seconds: (performance.now() - startedMs) / 1_000,
  }
}

/** The random numbers of one input: the same for the same seed, kind and index, whatever was tried before. */
export function inputRandom(seed: number, kind: FuzzKindName, index: number): Random {
  const digest = createHash('sha256').update(`${seed} ${kind} ${index}`).digest()
  return new Random(digest.readUInt32LE(0))
}

/** Two problems that differ only in numbers, ids and quoted text are one. */
function signatureOf(problem: string): string {
  return problem.replaceAll(/"[^"]*"|[0-9a-f]{8,}|\d+/gi, '#').slice(0, 160)
}

async function shrunk<Input>(kind: FuzzKind<Input>, finding: Finding, input: Input): Promise<Finding> {
  let smallest = input
  let attempts = 0
  for (let isSmaller = true; isSmaller && attempts < SHRINK_ATTEMPTS_MAX; ) {
    isSmaller = false
    for (const candidate of kind.smaller(smallest)) {
      if (++attempts > SHRINK_ATTEMPTS_MAX) break
      const problem = await kind.attempt(candidate)
      if (problem === undefined || signatureOf(problem) !== signatureOf(finding.problem)) continue
      smallest = candidate
      isSmaller = true
      break
    }
  }
  return { ...finding, input: smallest }
}
