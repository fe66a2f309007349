import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { fakeModelInTest } from '../../tests/support/fake-model.ts'
import { spawnGuarded } from '../../tests/support/guarded-process.ts'
import { inheritedEnvironment } from '../../tests/support/process.ts'
import { temporaryDirectory } from '../../tests/support/temporary-directory.ts'
import type { FakeRequest } from './fake-judge/fake-protocol.ts'
import type { FakeReply } from './fake-judge/fake-reply.ts'

const COMMAND = path.resolve(import.meta.dirname, '../../scripts/assay.ts')

interface Ended {
  readonly code: number
  readonly output: string
  readonly errors: string
}

async function bench(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = spawnGuarded(process.execPath, [COMMAND, 'bench', ...args], {
    env: { ...inheritedEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [output, errors] = ['', '']
  child.stdout?.on('data', (chunk) => (output += String(chunk)))
  child.stderr?.on('data', (chunk) => (errors += String(chunk)))
  const [code] = await once(child, 'close')
  return { code, output, errors }
}

/** The cells of a file's line, by column. */
function cellsOf(output: string, file: string): Record<string, string> {
  const lines = output.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  const columns = lines.find((cells) => cells[1] === 'file') ?? []
  const line = lines.find((cells) => cells[1] === file)
  assert.ok(line, output)
  return Object.fromEntries(columns.map((column, at) => [column, line[at] ?? '']))
}

function dataFolder(files: Readonly<Record<string, readonly object[]>>): string {
  const directory = temporaryDirectory()
  for (const [name, rows] of Object.entries(files)) {
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
    writeFileSync(path.join(directory, name), name.endsWith('.gz') ? gzipSync(text) : text)
  }
  return directory
}

function relevancy(id: string, answer: string, isRelevant: boolean) {
  const input = { answer, question: 'What is the capital of Norway?' }
  return { id, input, expected: { is_relevant: isRelevant }, meta: {} }
}

/** Finds statements that name Oslo to answer; declines when the text is about the law. */
function judgeByOslo({ messages, schema }: FakeRequest): FakeReply {
  const prompt = messages.findLast(({ role }) => role === 'user')?.content ?? ''
  if (prompt.includes('law')) return { refusal: true }
  const items = prompt
    .split('\n')
    .filter((line) => line.startsWith('{"id":'))
    .map((line): { id: number; text: string } => JSON.parse(line))
  if ('sentences' in Object(schema?.['properties']))
    return { content: { sentences: items.map(({ id, text }) => ({ id, statements: [text] })) } }
  const verdict = (text: string) => (text.includes('Oslo') ? 'answers' : 'off_topic')
  return {
    content: {
      items: items.map(({ id, text }) => ({ id, quote: text, reason: '', verdict: verdict(text) })),
    },
  }
}

test('measures a judge: right, wrong and without a verdict, with tokens, cost and time', async () => {
  const model = await fakeModelInTest({ answer: judgeByOslo })
  const data = dataFolder({
    'answer-relevancy.small.jsonl.gz': [
      relevancy('1', 'Oslo is the capital.', true),
      relevancy('2', 'Bread is baked.', false),
      relevancy('3', 'It is the city by the fjord.', true),
      relevancy('4', 'Bergen is wet and Oslo is not.', false),
      relevancy('5', 'Gravity is a law of nature.', false),
      relevancy('6', 'Beyond the rows that were asked for.', false),
    ],
    'char-count.none.jsonl': [{ id: '1', input: { text: 'a' }, expected: { char_count: 1 } }],
  })
  const args = ['--judge', 'openai/gpt-4o', '--data', data, '--rows', '5']
  const { code, output, errors } = await bench(args, {
    OPENAI_BASE_URL: `${model.url}/v1`,
    OPENAI_API_KEY: 'sk-of-the-user',
  })
  assert.equal(code, 0, errors)
  assert.match(output, /^judge openai\/gpt-4o/)
  const cells = cellsOf(output, 'answer-relevancy.small.jsonl.gz')
  // Rows 1 and 2 are right; of the two relevant ones half, of the other three a third.
  assert.deepEqual(
    [cells['rows'], cells['abstained'], cells['accuracy'], cells['balanced accuracy']],
    ['5', '1', '0.400', '0.417'],
  )
  // Four rows with two questions each; what the refused one took is not known.
  assert.equal(cells['calls'], '≥ 8')
  const [tokensIn, tokensOut, cost] = ['tokens in', 'tokens out', 'cost in $'].map((column) =>
    Number(cells[column]?.replace('≥ ', '')),
  ) as [number, number, number]
  assert.ok(tokensIn > 100 && tokensOut > 10 && cells['p50 in ms'], output)
  assert.ok(Math.abs(cost - (tokensIn * 2.5 + tokensOut * 10) / 1e6) < 1e-4, output)
  assert.match(output, /small\.jsonl\.gz: 1 refused, such as: the judge openai\/gpt-4o declined/)
  assert.doesNotMatch(output, /char-count/)
  assert.ok(model.requests.every(({ headers }) => headers['authorization'] === 'Bearer sk-of-the-user'))
})

test('a price that nobody knows is unknown, and pairs are taken whole', async () => {
  const model = await fakeModelInTest()
  const pair = (at: number) =>
    [true, false].map((better) => ({
      id: `${at} ${better}`,
      input: {
        instructions: `Say ${at} in at most 3 words.`,
        response: better ? 'One.' : 'One and two and three.',
      },
      expected: {},
      meta: { pair: `p${at}`, better },
    }))
  const [first, second] = [pair(1), pair(2)]
  const rows = [first[0], second[0], first[1], second[1]] as object[]
  const data = dataFolder({ 'instruction-adherence.pairs.jsonl': rows })
  const { code, output, errors } = await bench(['--judge', 'some-model', '--data', data, '--rows', '3'], {
    ASSAY_JUDGE_BASE_URL: model.url,
  })
  assert.equal(code, 0, errors)
  const cells = cellsOf(output, 'instruction-adherence.pairs.jsonl')
  // The model says the same of both: a tie is half right.
  assert.deepEqual([cells['rows'], cells['accuracy'], cells['pairs right']], ['2', '', '0.500'])
  assert.ok(Number(cells['calls']) > 0)
  assert.equal(cells['cost in $'], 'unknown')
})

test('the embedded judge is measured too, whatever provider is configured', async () => {
  const model = await fakeModelInTest()
  const rows = [relevancy('1', 'Oslo is the capital of Norway.', true), relevancy('2', '', false)]
  const data = dataFolder({ 'answer-relevancy.x.jsonl': rows })
  const args = ['--judge', 'embedded', '--data', data]
  const { code, output, errors } = await bench(args, {
    ASSAY_JUDGE_BASE_URL: model.url,
    OPENAI_API_KEY: 'sk-x',
  })
  assert.equal(code, 0, errors)
  assert.match(output, /^judge embedded/)
  const cells = cellsOf(output, 'answer-relevancy.x.jsonl')
  assert.deepEqual([cells['accuracy'], cells['calls'], cells['cost in $']], ['1.000', '', ''])
  assert.equal(model.requests.length, 0)
})

test('a judge that nobody configured ends it and says how to configure one', async () => {
  const data = dataFolder({ 'answer-relevancy.x.jsonl': [relevancy('1', 'Oslo is it.', true)] })
  const { code, errors } = await bench(['--judge', 'anthropic/claude', '--data', data])
  assert.equal(code, 1)
  assert.match(errors, /nothing says how anthropic\/claude is called: set the key/)
})

const DATA = dataFolder({
  'answer-relevancy.x.jsonl': [relevancy('1', 'Oslo.', true)],
  'faithfulness.bad.jsonl': [{ id: '1', input: 'no object' }],
})
for (const [args, message] of [
  [['--data', DATA], /bench needs --judge/],
  [['--judge', 'embedded'], /bench needs --data/],
  [['--judge', 'embedded', '--data', '/nowhere'], /--data \/nowhere is not there/],
  [['--judge', 'embedded', '--data', DATA, '--rows', '0'], /--rows must be a whole number from 1/],
  [['--judge', 'embedded', '--data', DATA, 'char-count'], /char-count is no evaluator that asks a judge/],
  [['--judge', 'embedded', '--data', DATA, 'intent-change'], /has no rows for intent-change/],
  [['--judge', 'embedded', '--data', DATA, 'faithfulness'], /faithfulness\.bad\.jsonl, line 1: input: /],
] as const) {
  test(`does not begin with ${args.join(' ').replace(DATA, 'DIR')}`, async () => {
    const { code, output, errors } = await bench(args)
    assert.notEqual(code, 0)
    assert.match(errors, message)
    assert.equal(output, '')
  })
}
