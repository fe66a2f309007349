import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { openTrial } from '../app/open-trial.ts'
import { createAppLogger } from '../app.ts'
import { JUDGE_SETTINGS } from '../config/judge-settings.ts'
import { ConfigError, readConfig } from '../config.ts'
import { EMBEDDED_JUDGE } from '../domain/judgement.ts'
import { findBuiltIn } from '../evaluators/catalogue.ts'
import { firstRows, type LabelledFile, readLabelledFiles } from './bench/labelled-data.ts'
import { type JudgeFigures, measureJudge } from './bench/measure-judge.ts'
import { UsageError } from './usage-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

const OPTIONS = {
  judge: { type: 'string' },
  data: { type: 'string' },
  rows: { type: 'string', default: '100' },
} as const

const COLUMNS = [
  'file',
  'rows',
  'abstained',
  'accuracy',
  'balanced accuracy',
  'AUC',
  'pairs right',
  'calls',
  'tokens in',
  'tokens out',
  'cost in $',
  'p50 in ms',
]

/** `assay bench`: how right a judge is on labelled data, with what it took. */
export async function runBenchCommand(args: readonly string[], env: Environment): Promise<void> {
  const { judge, files, atOnceOf } = readArguments(args)
  const directory = mkdtempSync(path.join(os.tmpdir(), 'assay-bench-'))
  try {
    const { config } = readConfig(settingsFor(judge, env, directory))
    const trial = await openTrial(config, createAppLogger(config))
    try {
      if (trial.judge === undefined) throw new ConfigError(unconfigured(judge))
      print(`judge ${trial.judge}, the first rows of each file; a row without a verdict counts as wrong\n`)
      print(line(COLUMNS))
      print(line(COLUMNS.map(() => '---')))
      const measured: JudgeFigures[] = []
      for (const file of files) {
        const figures = await measureJudge(trial, file, atOnceOf(config))
        print(renderFigures(figures, judge))
        measured.push(figures)
      }
      for (const text of measured.flatMap(renderReasons)) print(text)
    } finally {
      await trial.close()
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function readArguments(args: readonly string[]) {
  const { values, positionals: slugs } = parse(args)
  const { judge, data } = values
  if (!judge)
    throw new UsageError('bench needs --judge, for example --judge openai/gpt-4o or --judge embedded')
  if (!data) throw new UsageError('bench needs --data, a directory with labelled files')
  if (!existsSync(data)) throw new UsageError(`--data ${data} is not there`)
  const rowsMax = Number(values.rows)
  if (!/^\d{1,9}$/.test(values.rows) || rowsMax < 1)
    throw new UsageError('--rows must be a whole number from 1')
  const unknown = slugs.find((slug) => !isJudged(slug))
  if (unknown !== undefined) throw new UsageError(`${unknown} is no evaluator that asks a judge`)
  const isEmbedded = judge === EMBEDDED_JUDGE
  return {
    judge,
    files: readFiles(data, slugs, rowsMax),
    // The embedded judge has as many threads as there are for evaluators; a provider takes as many calls as it may.
    atOnceOf: (config: { evaluatorThreads: number; judgeConcurrency: number }) =>
      isEmbedded ? config.evaluatorThreads : config.judgeConcurrency,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function readFiles(directory: string, slugs: readonly string[], rowsMax: number): LabelledFile[] {
  const isWanted = (slug: string) => isJudged(slug) && (slugs.length === 0 || slugs.includes(slug))
  const files = readLabelledFiles(directory, isWanted)
    .map((file) => ({ ...file, rows: firstRows(file.rows, rowsMax) }))
    .filter(({ rows }) => rows.length > 0)
  if (files.length > 0) return files
  throw new UsageError(
    `--data ${directory} has no rows for ${slugs.join(', ') || 'an evaluator that asks a judge'}; files are named ` +
      '<evaluator>.<source>.jsonl',
  )
}

function isJudged(slug: string): boolean {
  return findBuiltIn(slug)?.judging !== undefined
}

/** The embedded judge judges when no provider is configured at all; otherwise the settings say how the model is called. */
function settingsFor(judge: string, env: Environment, directory: string): Environment {
  const own = { ASSAY_DATA_DIR: directory, ASSAY_LOG_LEVEL: 'fatal' }
  if (judge !== EMBEDDED_JUDGE) {
    // No other judge may answer where the model cannot be called.
    const { judgeModel, embeddedJudge } = JUDGE_SETTINGS
    return { ...env, ...own, [judgeModel.name]: judge, [embeddedJudge.name]: 'off' }
  }
  const ofJudges = new Set<string>(Object.values(JUDGE_SETTINGS).map(({ name }) => name))
  return { ...Object.fromEntries(Object.entries(env).filter(([name]) => !ofJudges.has(name))), ...own }
}

function unconfigured(judge: string): string {
  return (
    `nothing says how ${judge} is called: set the key of its provider, for example OPENAI_API_KEY or ` +
    'ANTHROPIC_API_KEY, or ASSAY_JUDGE_BASE_URL for a server of your own'
  )
}

function renderFigures(measured: JudgeFigures, judge: string): string {
  const { figures, isPaired, costMicros, p50Ms } = measured
  const share = (value: number | undefined) =>
    value === undefined || Number.isNaN(value) ? '' : value.toFixed(3)
  const isEmbedded = judge === EMBEDDED_JUDGE
  // The cost of questions that ended without a verdict is not known.
  const least = measured.abstained > 0 ? '≥ ' : ''
  return line([
    measured.name,
    String(figures.rows),
    String(measured.abstained),
    isPaired ? '' : share(figures.accuracy),
    isPaired ? '' : share(figures.balancedAccuracy),
    share(figures.auc),
    isPaired ? share(figures.accuracy) : '',
    ...[measured.calls, measured.promptTokens, measured.completionTokens].map((count) =>
      isEmbedded ? '' : `${least}${count}`,
    ),
    isEmbedded ? '' : costMicros === undefined ? 'unknown' : `${least}${(costMicros / 1e6).toFixed(4)}`,
    p50Ms === undefined ? '' : p50Ms.toFixed(0),
  ])
}

function renderReasons({ name, reasons }: JudgeFigures): string[] {
  return [...reasons].map(
    ([reason, { count, message }]) => `\n${name}: ${count} ${reason}, such as: ${message}`,
  )
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
