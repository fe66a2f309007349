// The second half of npm run bench:evaluators: how fast the detectors read. One thread, without HTTP, validation included.

import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { findBuiltIn } from '../src/evaluators/catalogue.ts'
import type { AnyEvaluator } from '../src/evaluators/kit/define-evaluator.ts'
import { executeEvaluator } from '../src/evaluators/kit/execute-evaluator.ts'
import { WordPieces } from '../src/lib/encoder/word-pieces.ts'
import { readLabelledData } from './read-labelled-data.ts'

const root = path.dirname(import.meta.dirname)

/** Detectors that decide by rules, and the input that they read. */
const RULES = {
  'secrets-detector': 'text',
  'pii-detector': 'text',
  'profanity-detector': 'text',
}
/** Detectors that ask an embedded model. */
const MODELS = {
  'toxicity-detector': 'text',
  'sexism-detector': 'text',
  'prompt-injection': 'prompt',
  'tone-detection': 'text',
  'prompt-perplexity': 'prompt',
  'semantic-similarity': 'completion',
}

/** Each figure is measured for at least this long, after a first reading that is not counted. */
const MEASURE_MS = 1_000
const ROUNDS_MIN = 3
/** Processor time is counted in steps of some milliseconds. */
const ROUND_MS_MIN = 50
const PIECE_CHARS = 2_048
const LONG_TOKENS = 128
/** The two markers that every text gets. */
const MARKERS = 2
const SHORT_TEXTS = 300

/** Prints two tables: megabytes a second of the rules, milliseconds and texts a second of the models. */
export async function showDetectorSpeed(): Promise<void> {
  console.log(`\nDetectors by rules: MB of text a second, in pieces of ${PIECE_CHARS} characters`)
  const prose = filePieces('docs/**/*.md')
  const questions = labelledPieces()
  const kinds: Record<string, readonly string[]> = {
    ...(questions.length > 0 ? { 'questions of customers': questions } : {}),
    'our documentation': prose,
    'our source': filePieces('src/{http,pipeline,control}/**/*.ts'),
  }
  const rules: Record<string, Record<string, string>> = {}
  for (const [slug, field] of Object.entries(RULES)) {
    rules[slug] = {}
    for (const [kind, texts] of Object.entries(kinds)) {
      rules[slug][kind] = await megabytesPerSecond(slug, field, texts)
    }
  }
  console.table(rules)
  console.log(
    `Detectors by model: one text of ${LONG_TOKENS} tokens; ${SHORT_TEXTS} texts of a sentence each; memory`,
  )
  const models: Record<string, Record<string, string>> = {}
  for (const [slug, field] of Object.entries(MODELS)) models[slug] = await modelSpeed(slug, field, prose)
  console.table(models)
  console.log('Processor time of one thread; the best round, because others use the machine too.')
}

function evaluatorOf(slug: string): AnyEvaluator {
  const evaluator = findBuiltIn(slug)
  if (!evaluator) throw new Error(`there is no evaluator ${slug}`)
  return evaluator
}

/** Text that people wrote, so that it has the numbers, names and odd words which rules stumble over. */
function filePieces(pattern: string): string[] {
  const files = globSync(pattern, { cwd: root }).toSorted()
  return piecesOf(files.map((file) => readFileSync(path.join(root, file), 'utf8')).join('\n'))
}

/** Ordinary questions, where the labelled data lies beside the checkout. */
function labelledPieces(): string[] {
  const file = readLabelledData()?.find(({ name }) => name.startsWith('pii-detector.banking77.'))
  return piecesOf(
    (file?.rows ?? []).map(({ input }) => String((input as { text?: unknown }).text)).join('\n'),
  )
}

function piecesOf(text: string): string[] {
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
  const { cpuMs } = await bestRound(calls)
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return (bytes / 1_000 / cpuMs).toFixed(1)
}

async function modelSpeed(slug: string, field: string, prose: readonly string[]) {
  const long = textOfTokens(prose.join(''), LONG_TOKENS - MARKERS)
  const shorts = prose
    .join('')
    .split(/(?<=[.!?])\s+/)
    .filter((text) => text.length >= 40 && text.length <= 160)
    .slice(0, SHORT_TEXTS)
  const one = await bestRound(callsOf(slug, field, [long]))
  const many = await bestRound(callsOf(slug, field, shorts))
  return {
    'ms of processor time': one.cpuMs.toFixed(2),
    'ms of wall time, median': one.medianMs.toFixed(2),
    'texts/s': Math.round((shorts.length * 1_000) / many.cpuMs).toString(),
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

/** Runs all calls in rounds that are long enough to be measured: their least processor time, their median wall time. */
async function bestRound(calls: readonly (() => Promise<unknown>)[]) {
  for (const call of calls) await call()
  const firstMs = performance.now()
  for (const call of calls) await call()
  const repeats = Math.ceil(ROUND_MS_MIN / (performance.now() - firstMs))
  const walls: number[] = []
  let cpuMs = Number.POSITIVE_INFINITY
  const endMs = performance.now() + MEASURE_MS
  while (walls.length < ROUNDS_MIN || performance.now() < endMs) {
    const startMs = performance.now()
    const before = process.cpuUsage()
    for (let repeat = 0; repeat < repeats; repeat++) for (const call of calls) await call()
    const { user, system } = process.cpuUsage(before)
    cpuMs = Math.min(cpuMs, (user + system) / 1_000 / repeats)
    walls.push((performance.now() - startMs) / repeats)
  }
  return { cpuMs, medianMs: walls.toSorted((a, b) => a - b)[walls.length >> 1] ?? Number.NaN }
}
