import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type ARCHIVES, unpackedArchive } from './archives.ts'
import { fakeLines } from './fake-lines.ts'
import { labelledSources, measuredText } from './labelled-sources.ts'
import {
  asParagraphs,
  docComments,
  oneLine,
  poTranslations,
  rstCode,
  rstProse,
  stringsIn,
} from './paragraphs.ts'
import type { Source } from './source.ts'

// The speeches since then; older ones are another English.
const FIRST_SPEECH = '1945'
const LANGUAGES =
  'de,fr,es,pt,pt_BR,it,nl,sv,da,nb,fi,pl,cs,ru,uk,tr,ro,hu,el,id,vi,ja,zh_Hans,zh_Hant,ko,ar,he,fa,hi'
// Parts of the evals package whose sources allow any use; its LICENSE.md names the source of each sample.
const EVALS_SOURCES = new Set([
  'alespalla/chatbot_instruction_prompts',
  'akoksal/LongForm',
  'lighteval/mmlu',
  'Abirate/english_quotes',
  'c4',
  'openwebtext',
  'oscar',
  'codeparrot/github-code',
])

/** Everything the model is trained on, without the rows that it is measured on. */
export async function collectText(): Promise<Source[]> {
  const sources = [
    { name: 'sotu', weight: 1, paragraphs: await speeches() },
    { name: 'documentation', weight: 1, paragraphs: await documentation(rstProse) },
    { name: 'code', weight: 1, paragraphs: await documentation(rstCode) },
    {
      name: 'node',
      weight: 1,
      paragraphs: (await filesOf('nodeTypes', '**/*.d.ts')).flatMap(({ text }) => docComments(text)),
    },
    { name: 'names', weight: 1, paragraphs: fakeLines(await unpackedArchive('faker')) },
    { name: 'evals', weight: 1, paragraphs: await evals() },
    { name: 'chatterbot', weight: 2, paragraphs: await chatterbot() },
    { name: 'translations', weight: 1, paragraphs: await translations() },
    ...labelledSources(),
  ]
  const isMeasured = measuredText()
  return sources.map((source) => ({
    ...source,
    paragraphs: [...new Set(source.paragraphs)].filter((text) => text.length >= 12 && !isMeasured(text)),
  }))
}

async function speeches(): Promise<string[]> {
  const files = await filesOf('sotu', 'package/data/*.txt')
  return files
    .filter(({ name }) => path.basename(name) >= FIRST_SPEECH)
    .flatMap(({ text }) => sentenceGroups(oneLine(text)))
}

/** A speech is one long line in its file; a paragraph has a few sentences. */
function sentenceGroups(speech: string): string[] {
  const sentences = speech.split(/(?<=[.!?]) (?=[A-Z])/)
  return Array.from({ length: Math.ceil(sentences.length / 4) }, (_, at) =>
    sentences.slice(at * 4, at * 4 + 4).join(' '),
  )
}

async function documentation(read: (page: string) => string[]): Promise<string[]> {
  const files = [
    ...(await filesOf('django', '*/docs/**/*.txt')),
    ...(await filesOf('sqlalchemy', '*/doc/build/**/*.rst')),
    ...(await filesOf('scikitLearn', '*/doc/**/*.rst')),
  ]
  return files
    .filter(({ name }) => !/releases|changelog|whats_new/.test(name))
    .flatMap(({ text }) => read(text))
}

async function evals(): Promise<string[]> {
  const folder = 'evals/registry/data'
  const texts: string[] = []
  for (const row of await jsonRows(`${folder}/steganography/samples.jsonl`)) {
    if (EVALS_SOURCES.has(String(row['task_type'])))
      texts.push(String(row['task_prompt']), String(row['task_output']))
    if (EVALS_SOURCES.has(String(row['payload_type']))) texts.push(String(row['payload_text']))
  }
  for (const row of await jsonRows(`${folder}/text_compression/samples.jsonl`)) {
    if (EVALS_SOURCES.has(String(row['type']))) texts.push(String(row['text']))
  }
  for (const part of ['sandbagging', 'ballots', 'us_tort_law', 'fcc_amateur_extra', 'taxes']) {
    for (const row of await jsonRows(`${folder}/${part}/*.jsonl`)) texts.push(...stringsIn(row))
  }
  return texts.flatMap(asParagraphs)
}

async function chatterbot(): Promise<string[]> {
  const files = await filesOf('chatterbot', 'chatterbot_corpus/data/english/*.yml')
  return files.flatMap(({ text }) =>
    text
      .slice(text.indexOf('conversations:'))
      .split(/\n(?:- - | {2}- )/)
      .slice(1)
      .map((entry) => entry.replace(/^(['"])([\s\S]*)\1$/, '$2').replace(/^\|\s*/, ''))
      .map((entry) => (entry.includes('```') ? entry.replace(/\n {4}/g, '\n') : oneLine(entry))),
  )
}

async function translations(): Promise<string[]> {
  const files = [
    ...(await filesOf('django', `**/locale/{${LANGUAGES}}/LC_MESSAGES/*.po`)),
    ...(await filesOf('wagtail', `**/locale/{${LANGUAGES}}/LC_MESSAGES/*.po`)),
  ]
  const messages = await filesOf('typescript', 'package/lib/*/diagnosticMessages.generated.json')
  return [
    ...files.flatMap(({ text }) => poTranslations(text)),
    ...messages
      .flatMap(({ text }) => Object.values<string>(JSON.parse(text)))
      .map((message) => oneLine(message.replace(/'?\{\d\}'?/g, '')))
      .filter((message) => Buffer.byteLength(message) > 30),
  ]
}

async function filesOf(
  archive: keyof typeof ARCHIVES,
  pattern: string,
): Promise<{ readonly name: string; readonly text: string }[]> {
  const directory = await unpackedArchive(archive)
  const names = globSync(pattern, { cwd: directory }).sort()
  if (names.length === 0) throw new Error(`${archive} holds nothing like ${pattern}`)
  return names.map((name) => ({ name, text: readFileSync(path.join(directory, name), 'utf8') }))
}

async function jsonRows(pattern: string): Promise<Record<string, unknown>[]> {
  const files = await filesOf('evals', pattern)
  return files.flatMap(({ text }) =>
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line)),
  )
}
