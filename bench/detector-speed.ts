// The second half of npm run bench:evaluators: how fast the detectors read. One thread, without HTTP, validation included.

import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { findBuiltIn } from '../src/evaluators/catalogue.ts'
import type { AnyEvaluator } from '../src/evaluators/kit/define-evaluator.ts'
import { executeEvaluator } from '../src/evaluators/kit/execute-evaluator.ts'
import { WordPieces } from '../src/evaluators/kit/word-pieces.ts'

const root = path.dirname(import.meta.dirname)

/** Detectors that decide by rules and small tables, and the input that they read. */
const RULES = {
  'secrets-detector': 'text',
  'pii-detector': 'text',
  'profanity-detector': 'text',
  'prompt-perplexity': 'prompt',
}
/** Detectors that ask the embedded encoder. */
const MODELS = {
  'toxicity-detector': 'text',
  'sexism-detector': 'text',
  'prompt-injection': 'prompt',
  'tone-detection': 'text',
  'semantic-similarity': 'completion',
}

/** Each figure is measured for at least this long, after a first reading that is not counted. */
const MEASURE_MS = 1_000
const PIECE_CHARS = 2_048
const LONG_TOKENS = 128
/** The two markers that every text gets. */
const MARKERS = 2
const SHORT_TEXTS = 300

/** Prints two tables: megabytes a second of the rules, milliseconds and texts a second of the models. */
export async function showDetectorSpeed(): Promise<void> {
  console.log(
    `\nDetectors by rules: MB of text a second of processor time, in pieces of ${PIECE_CHARS} characters`,
  )
  const prose = pieces('docs/**/*.md')
  const code = pieces('src/{http,pipeline,control}/**/*.ts')
  const rules: Record<string, Record<string, string>> = {}
  for (const [slug, field] of Object.entries(RULES)) {
    rules[slug] = {
      'our documentation': await megabytesPerSecond(slug, field, prose),
      'our source': await megabytesPerSecond(slug, field, code),
    }
  }
  console.table(rules)
  console.log(
    `Detectors by model: a text of ${LONG_TOKENS} tokens, ${SHORT_TEXTS} different texts of a sentence each, memory`,
  )
  const models: Record<string, Record<string, string>> = {}
  for (const [slug, field] of Object.entries(MODELS)) models[slug] = await modelSpeed(slug, field, prose)
  console.table(models)
}

function evaluatorOf(slug: string): AnyEvaluator {
  const evaluator = findBuiltIn(slug)
  if (!evaluator) throw new Error(`there is no evaluator ${slug}`)
  return evaluator
}

/** Text that people wrote, so that it has the numbers, names and odd words which rules stumble over. */
function pieces(pattern: string): string[] {
  const files = globSync(pattern, { cwd: root }).toSorted()
  const text = files.map((file) => readFileSync(path.join(root, file), 'utf8')).join('\n')
  return Array.from({ length: Math.floor(text.length / PIECE_CHARS) }, (_, at) =>
    text.slice(at * PIECE_CHARS, (at + 1) * PIECE_CHARS),
  )
}

function callsOf(slug: string, field: string, texts: readonly string[]): (() => Promise<unknown>)[] {
  const evaluator = evaluatorOf(slug)
  const second = slug === 'semantic-similarity' ? { reference: 'x' } : {}
  return texts.map((text) => () => executeEvaluator(evaluator, { [field]: text, ...second }, {}))
}

async function megabytesPerSecond(slug: string, field: string, texts: readonly string[]): Promise<string> {
  const calls = callsOf(slug, field, texts)
  const { cpuMs, rounds } = await runRounds(calls)
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return ((bytes * rounds) / 1_000 / cpuMs).toFixed(1)
}

async function modelSpeed(slug: string, field: string, prose: readonly string[]) {
  const long = textOfTokens(prose.join(''), LONG_TOKENS - MARKERS)
  const shorts = prose
    .join('')
    .split(/(?<=[.!?])\s+/)
    .filter((text) => text.length >= 40 && text.length <= 160)
    .slice(0, SHORT_TEXTS)
  const one = await runRounds(callsOf(slug, field, [long]))
  const many = await runRounds(callsOf(slug, field, shorts))
  return {
    'ms of processor time': (one.cpuMs / one.rounds).toFixed(1),
    'ms, median': one.medianMs.toFixed(1),
    'texts/s of processor time': Math.round((many.rounds * shorts.length * 1_000) / many.cpuMs).toString(),
    'MB of memory': execFileSync(
      process.execPath,
      [path.join(import.meta.dirname, 'model-memory.ts'), slug, field],
      {
        encoding: 'utf8',
      },
    ).trim(),
  }
}

/** The beginning of a text that has exactly so many tokens for the embedded encoder. */
function textOfTokens(text: string, tokens: number): string {
  const vocabulary = new WordPieces(readFileSync(path.join(root, 'models/encoder/vocab.txt'), 'utf8'))
  let end = tokens
  while (vocabulary.split(text.slice(0, end)).length < tokens) end++
  return text.slice(0, end)
}

/** Time of the processor, because others use this machine too; wall time of a call is shown beside it. */
async function runRounds(calls: readonly (() => Promise<unknown>)[]) {
  for (const call of calls) await call()
  const times: number[] = []
  const before = process.cpuUsage()
  const endMs = performance.now() + MEASURE_MS
  let rounds = 0
  for (; rounds === 0 || performance.now() < endMs; rounds++) {
    for (const call of calls) {
      const startMs = performance.now()
      await call()
      times.push(performance.now() - startMs)
    }
  }
  const { user, system } = process.cpuUsage(before)
  const medianMs = times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN
  return { cpuMs: (user + system) / 1_000, rounds, medianMs }
}
