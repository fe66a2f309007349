import { readFileSync } from 'node:fs'
import path from 'node:path'
import { readLabelledData } from '../../bench/read-labelled-data.ts'
import { asParagraphs, conllSentences, stringsIn } from './paragraphs.ts'
import type { Source } from './source.ts'

const NER_DIR = path.resolve(import.meta.dirname, '../../../shared/data/raw/ner')
const NER_FILES = ['wikigold.conll.txt', 'wnut17train.conll', 'btc_a.conll', 'btc_b.conll']

/** Prompts, questions and answers of the labelled data, which are the nearest to what people send to a model. */
export function labelledSources(): Source[] {
  const of = (source: string, fields: readonly string[], weight: number): Source => ({
    name: source,
    weight,
    paragraphs: labelledInputs(source).flatMap((input) =>
      fields.flatMap((field) => stringsIn(parsed(input[field]))).flatMap(asParagraphs),
    ),
  })
  return [
    of('llmbar', ['instructions', 'response'], 3),
    of('tiage', ['prompts', 'completions'], 3),
    of('evouna', ['question', 'completion'], 2),
    of('awesome-prompts', ['prompt'], 3),
    of('mitre-frr', ['prompt'], 3),
    {
      name: 'ner',
      weight: 2,
      paragraphs: NER_FILES.flatMap((name) => conllSentences(readFileSync(path.join(NER_DIR, name), 'utf8'))),
    },
  ]
}

function labelledInputs(source: string): Record<string, unknown>[] {
  const files = readLabelledData()?.filter(({ name }) => name.includes(`.${source}`)) ?? []
  if (files.length === 0)
    throw new Error(`no labelled data of ${source}; the model cannot be made again without it`)
  return files.flatMap(({ rows }) => rows.map(({ input }) => input as Record<string, unknown>))
}

/** Says whether a text shares eight words in a row, or all of its words, with a row that the model is measured on. */
export function measuredText(): (text: string) => boolean {
  const seen = new Set<string>()
  for (const { slug, rows } of readLabelledData() ?? []) {
    if (slug !== 'prompt-perplexity') continue
    for (const { input } of rows)
      for (const run of wordRuns((input as { prompt: string }).prompt)) seen.add(run)
  }
  return (text) => wordRuns(text).some((run) => seen.has(run))
}

function wordRuns(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length <= 8) return [words.join(' ')]
  return words.slice(7).map((_, at) => words.slice(at, at + 8).join(' '))
}

function parsed(value: unknown): unknown {
  return typeof value === 'string' && value.startsWith('["') ? JSON.parse(value) : value
}
