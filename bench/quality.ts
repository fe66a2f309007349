// npm run bench:quality [-- --write] [-- <slug> ...]: how good the evaluators are on labelled data, a line per file, and
// a line for each npm peer on the same rows, beside what is published about the detector that the field uses.
// A judged evaluator is measured with its embedded judge, which was tuned on the first half of each file only.
// With --write the table also goes into docs/quality.md, with date and commit.

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { LabelledFile, LabelledRow } from '../src/cli/bench/labelled-data.ts'
import { computeFigures, type Figures, type Judged } from '../src/cli/bench/quality-figures.ts'
import { findBuiltIn } from '../src/evaluators/catalogue.ts'
import { executeEvaluator } from '../src/evaluators/kit/execute-evaluator.ts'
import { benignRows } from './benign-rows.ts'
import { PUBLISHED_ANCHORS } from './published-anchors.ts'
import { loadQualityPeers, type QualityPeer } from './quality-peers.ts'
import { readLabelledData } from './read-labelled-data.ts'

const root = path.dirname(import.meta.dirname)
const COLUMNS = [
  'file',
  'rows',
  'errors',
  'accuracy',
  'balanced accuracy',
  'precision',
  'recall',
  'F1',
  'FPR',
  'AUC',
  'recall at 1 % FPR',
  'published, on other data',
]

// The evaluators that ask the encoder and have labelled data.
const ENCODER_SLUGS: ReadonlySet<string> = new Set(['toxicity-detector', 'prompt-injection'])
// The ids of the rows that the encoder was trained or calibrated with.
const seenRows = new Set(readFileSync(path.join(root, 'training/encoder/seen-rows.txt'), 'utf8').split('\n'))

// How many rows of a file were looked at while rules were written; the rest shows what they do on held-out rows.
const ROWS_LOOKED_AT: Readonly<Record<string, number>> = { 'profanity-detector': 2_000 }

const slugs = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const data = readLabelledData()
if (data) {
  const lines = await measureAll(
    data.filter(({ slug }) => slugs.length === 0 || slugs.includes(slug)),
    data,
  )
  console.log(renderTable(lines))
  if (process.argv.includes('--write')) writeDocs(renderTable(lines))
} else {
  console.log('The labelled data (../shared/data) is not there: nothing was measured.')
}

async function measureAll(files: readonly LabelledFile[], all: readonly LabelledFile[]): Promise<string[][]> {
  const lines: string[][] = []
  const bySlug = new Map<string, Judged[]>()
  for (const [at, { name, slug, rows }] of files.entries()) {
    const evaluator = runnable(slug)
    if (!evaluator) {
      lines.push([name, String(rows.length), 'not implemented yet'])
      continue
    }
    const judged = await judgeAll(evaluator, rows)
    lines.push([...renderLine(name, computeFigures(judged)), PUBLISHED_ANCHORS[slug] ?? ''])
    for (const [part, items] of partsOf(slug, judged))
      lines.push(renderLine(`↳ ${part}`, computeFigures(items)))
    for (const peer of await loadQualityPeers(slug)) {
      lines.push(renderLine(`↳ peer: ${peer.name}`, computeFigures(await askPeer(peer, rows))))
    }
    lines.push(...(await benignLines(evaluator, benignRows(slug, all))))
    bySlug.set(slug, [...(bySlug.get(slug) ?? []), ...unseenOf(slug, judged)])
    if (files[at + 1]?.slug !== slug) lines.push(...togetherLine(slug, files, bySlug.get(slug) ?? []))
  }
  return lines
}

/** An evaluator that can be run without a call outside the process: a judged one through its embedded judge. */
function runnable(slug: string): ReturnType<typeof findBuiltIn> {
  const evaluator = findBuiltIn(slug)
  const evaluate = evaluator?.evaluate ?? evaluator?.judging?.embedded
  return evaluator && evaluate ? { ...evaluator, evaluate } : undefined
}

/** The detections of an evaluator and its peers in ordinary texts, where there is nothing to find. */
async function benignLines(
  evaluator: NonNullable<ReturnType<typeof findBuiltIn>>,
  rows: readonly LabelledRow[],
): Promise<string[][]> {
  if (rows.length === 0) return []
  const lines = [
    renderLine('↳ ordinary texts of other files', computeFigures(await judgeAll(evaluator, rows))),
  ]
  for (const peer of await loadQualityPeers(evaluator.slug)) {
    const figures = computeFigures(await askPeer(peer, rows))
    lines.push(renderLine(`↳ ordinary texts, peer: ${peer.name}`, figures))
  }
  return lines
}

async function judgeAll(
  evaluator: NonNullable<ReturnType<typeof findBuiltIn>>,
  rows: readonly LabelledRow[],
): Promise<Judged[]> {
  const judged: Judged[] = []
  for (const row of rows) judged.push(await judge(evaluator, row))
  return judged
}

async function judge(
  evaluator: NonNullable<ReturnType<typeof findBuiltIn>>,
  row: LabelledRow,
): Promise<Judged> {
  try {
    return { row, answer: await executeEvaluator(evaluator, row.input, row.config) }
  } catch (error) {
    return { row, error: String(error) }
  }
}

async function askPeer(peer: QualityPeer, rows: readonly LabelledRow[]): Promise<Judged[]> {
  const judged: Judged[] = []
  for (const row of rows) {
    try {
      judged.push({ row, answer: await peer.answer(row.input) })
    } catch (error) {
      judged.push({ row, error: String(error) })
    }
  }
  return judged
}

/** Where a detector has several files, all of them together: what is promised of it is about that. */
function togetherLine(slug: string, files: readonly LabelledFile[], judged: readonly Judged[]): string[][] {
  const method = findBuiltIn(slug)?.method
  if (method === 'exact' || files.filter((file) => file.slug === slug).length < 2) return []
  const figures = computeFigures(judged)
  if (figures.f1 === undefined && figures.balancedAccuracy === undefined) return []
  const which = method === 'judge' ? 'second halves of all files together' : 'all files together'
  return [renderLine(`${slug}, ${which}`, figures)]
}

/** The rows that no model of ours was trained or calibrated with, and no embedded judge was tuned on. */
function unseenOf(slug: string, judged: readonly Judged[]): Judged[] {
  if (findBuiltIn(slug)?.method === 'judge') return judged.slice(Math.floor(judged.length / 2))
  return judged.filter(({ row }) => !(ENCODER_SLUGS.has(slug) && seenRows.has(row.id)))
}

/**
 * Files whose rows belong to different drafts of one thing are also shown part by part, and files that a model has
 * partly seen without the rows it has seen: that line is the honest one.
 */
function partsOf(slug: string, judged: readonly Judged[]): [string, Judged[]][] {
  const unseen = unseenOf(slug, judged)
  const isJudged = findBuiltIn(slug)?.method === 'judge'
  if (unseen.length < judged.length)
    return [[isJudged ? 'second half, held out' : 'rows the model has not seen', unseen]]
  const lookedAt = ROWS_LOOKED_AT[slug]
  if (lookedAt !== undefined)
    return [['rows not looked at while the rules were written', judged.slice(lookedAt)]]
  const parts = Map.groupBy(judged, ({ row }) => row.meta['draft'])
  return [...parts].flatMap(([part, items]) =>
    typeof part === 'string' ? [[part, items] as [string, Judged[]]] : [],
  )
}

function renderLine(name: string, figures: Figures): string[] {
  const { accuracy, balancedAccuracy, precision, recall, f1 } = figures
  const { falsePositiveRate, auc, recallAtOnePercent } = figures
  const shares = [
    accuracy,
    balancedAccuracy,
    precision,
    recall,
    f1,
    falsePositiveRate,
    auc,
    recallAtOnePercent,
  ]
  return [
    name,
    String(figures.rows),
    String(figures.errors),
    ...shares.map((share) => share?.toFixed(4) ?? ''),
  ]
}

function renderTable(lines: readonly string[][]): string {
  const all = [
    COLUMNS,
    COLUMNS.map(() => '---'),
    ...lines.map((line) => COLUMNS.map((_, at) => line[at] ?? '')),
  ]
  return all.map((line) => `| ${line.join(' | ')} |`).join('\n')
}

/** Replaces what stands between the markers; the words around it are written by hand. */
function writeDocs(table: string): void {
  const file = path.join(root, 'docs/quality.md')
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  const date = new Date().toISOString().slice(0, 10)
  const block = `<!-- figures -->\nMeasured on ${date} at commit ${commit} by \`npm run bench:quality -- --write\`.\n\n${table}\n<!-- /figures -->`
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(/<!-- figures -->[\s\S]*<!-- \/figures -->/, () => block),
  )
}
