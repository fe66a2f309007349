import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { assertGrowth } from '../../../tests/support/processor-time.ts'
import { ScriptedJudge, silentJudge, verdictsBy } from '../../../tests/support/scripted-judge.ts'
import { NoVerdict } from '../../domain/no-verdict.ts'
import type { Judge } from '../../ports/judge.ts'
import { SOURCE_CHARS_PER_QUESTION } from '../judged/limits.ts'
import { agentToolErrorDetector } from './agent-tool-error-detector.ts'
import { detectToolError } from './detect-tool-error.ts'

/** Written by hand after what real tools answer. `open`: the signs alone get it wrong so far; a judge may not. */
interface LabelledOutput {
  readonly failed: boolean
  readonly input: string
  readonly output: string
  readonly note?: string
  readonly open?: true
}

const labelled = readFileSync(path.join(import.meta.dirname, 'testdata/labelled-outputs.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line): LabelledOutput => JSON.parse(line))

const isError = (input: string, output: string) => detectToolError(input, output).verdict === 'error'

for (const example of agentToolErrorDetector.examples) {
  test(`example: ${example.name}`, async () => {
    const input = agentToolErrorDetector.input.parse(example.input)
    assert.deepEqual(await agentToolErrorDetector.judging?.embedded?.({ input, config: {} }), example.output)
  })
}

describe('labelled outputs', () => {
  for (const { failed, input, output, note, open } of labelled) {
    const name = note ?? JSON.stringify(output.slice(0, 80))
    test(`${failed ? 'failed' : 'fine'}: ${name}${open ? ' (open)' : ''}`, () => {
      const { verdict, reason } = detectToolError(input, output)
      if (open) assert.notEqual(verdict === 'error', failed, 'is right now: take away its "open"')
      else assert.equal(verdict === 'error', failed, reason)
    })
  }

  test('are found with an F1 of at least 0.95', () => {
    const hits = labelled.filter(({ failed, input, output }) => failed && isError(input, output)).length
    const wrong = labelled.filter(({ failed, input, output }) => failed !== isError(input, output)).length
    const f1 = (2 * hits) / (2 * hits + wrong)
    assert.ok(f1 >= 0.95, `F1 is ${f1}`)
  })
})

describe('verdicts', () => {
  test('are ok where nothing sounds like trouble or the tool denies it, else unsure', () => {
    assert.equal(detectToolError('', '{"sky": "rain"}').verdict, 'ok')
    assert.equal(detectToolError('', '{"error": null, "text": "how to fix a failure"}').verdict, 'ok')
    assert.equal(detectToolError('', '{"success": true, "message": "Fixed 3 errors"}').verdict, 'ok')
    assert.equal(detectToolError('', '{"titles": ["Fixing errors"]}').verdict, 'unsure')
    assert.equal(detectToolError('', 'The release fixes two errors in the parser.').verdict, 'unsure')
  })

  test('are about every result of a span that holds several calls', () => {
    const calls = '[{"name":"weather","arguments":{}},{"name":"search","arguments":{}}]'
    const both = (result: unknown) =>
      JSON.stringify([
        { name: 'weather', id: 'call_1', result: { sky: 'rain', success: true } },
        { name: 'search', id: 'call_2', result },
      ])
    assert.equal(detectToolError(calls, both({ error: 'no such index' })).verdict, 'error')
    assert.equal(detectToolError(calls, both('Error: connection refused')).verdict, 'error')
    assert.equal(detectToolError(calls, both({ hits: 3 })).verdict, 'ok')
    const records = '[{"name":"a","result":"Error: x","score":1},{"name":"b","result":"Error: y","score":2}]'
    assert.equal(detectToolError(calls, records).verdict, 'unsure')
  })

  test('depend on what the tool was asked for', () => {
    const output = 'starting\nTraceback (most recent call last):\n  File "a.py", line 3, in f\nKeyError: 1'
    assert.equal(detectToolError('{"command": "python a.py"}', output).verdict, 'error')
    assert.equal(detectToolError('{"command": "cat crash.log"}', output).verdict, 'unsure')
  })

  test('quote one short line', () => {
    const { reason } = detectToolError('', JSON.stringify({ error: `a\nb\t${'x'.repeat(5000)}` }))
    assert.match(reason, /^The output reports an error: a b x+\.\.\.$/)
    assert.ok(reason.length < 300)
  })
})

describe('with a judge', () => {
  const ask = (judge: Judge, tool_output: string, tool_input = '{"query": "release notes"}') =>
    agentToolErrorDetector.judging?.ask({ input: { tool_input, tool_output }, config: {}, judge })
  const judgeSaying = (verdict: string, quote = '') =>
    new ScriptedJudge({ 'agent-tool-error-detector/output': verdictsBy(() => [verdict, quote]) })
  const UNSURE = 'The release fixes two errors in the parser.'

  test('what the signs decide reaches no judge', async () => {
    assert.equal((await ask(silentJudge(), '{"sky": "rain"}'))?.success, true)
    assert.equal((await ask(silentJudge(), '{"error": "no such city"}'))?.success, false)
  })

  test('what they leave open is asked about, and a failure needs a quote of the output', async () => {
    assert.deepEqual(await ask(judgeSaying('failed', 'two errors in the parser'), UNSURE), {
      success: false,
      reason: 'The output reports an error: two errors in the parser',
    })
    assert.equal((await ask(judgeSaying('failed', 'connection refused'), UNSURE))?.success, true)
    assert.equal((await ask(judgeSaying('worked'), UNSURE))?.success, true)
  })

  test('a long output is asked about where it has words about trouble, all of them', async () => {
    const page = 'Nothing to see here, all is well. '.repeat(40)
    const output = `${page}${`an error of the past. ${page}`.repeat(60)}the last failure of all. ${page}`
    assert.equal(detectToolError('', output).verdict, 'unsure')
    const judge = judgeSaying('worked')
    assert.equal((await ask(judge, output))?.success, true)
    const seen = judge.asked.map(({ data }) => data['a part of what it returned'] ?? '')
    assert.ok(seen.length > 1 && seen.every(({ length }) => length <= SOURCE_CHARS_PER_QUESTION))
    assert.ok(seen.join('').includes('the last failure of all'))
    assert.equal(seen.join('').split('an error of the past').length - 1, 60)
  })

  test('an output with more of them than can be asked about is refused', async () => {
    const output = 'Here is an error of the past and a page about it. '.repeat(20_000)
    await assert.rejects(async () => ask(judgeSaying('worked'), output), /input\.tool_output is too long/)
  })

  test('no verdict is let through', async () => {
    const mute = new ScriptedJudge({ 'agent-tool-error-detector/output': () => ({ items: [] }) })
    await assert.rejects(
      async () => ask(mute, UNSURE),
      (error) => error instanceof NoVerdict,
    )
  })
})

describe('limits', () => {
  const [small, large] = [15_600, 1_000_000]
  const hostile: Record<string, (size: number) => string> = {
    letters: (size) => 'a'.repeat(size),
    spaces: (size) => ' '.repeat(size),
    colons: (size) => 'a: '.repeat(size / 4),
    'dotted names': (size) => 'a.'.repeat(size / 2),
    'error words': (size) => 'Error '.repeat(size / 6),
    'open tags': (size) => '<title '.repeat(size / 7),
    quotes: (size) => `{'${"'".repeat(size)}`,
    lines: (size) => 'error\n'.repeat(size / 6),
    'frames without a head': (size) => '    at a\n'.repeat(size / 9),
    'deep lists': (size) => '['.repeat(size) + ']'.repeat(size),
    'deep wrappers': (size) => `${'{"result":'.repeat(size / 10)}1${'}'.repeat(size / 10)}`,
    'deep error': (size) => `{"error":${'['.repeat(size)}${']'.repeat(size)}}`,
    'many fields': (size) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: size / 20 }, (_, n) => [`k${n}`, n]))),
    'many records': (size) =>
      JSON.stringify(Array.from({ length: size / 50 }, (_, n) => ({ id: n, error: 'x', text: 'y' }))),
    'many parts': (size) =>
      JSON.stringify(Array.from({ length: size / 50 }, () => ({ type: 'text', text: '{"a": 1}' }))),
  }
  for (const [name, outputOf] of Object.entries(hostile)) {
    test(`1 MB of ${name} takes time in proportion`, async () => {
      const [few, many] = [outputOf(small), outputOf(large)]
      await assertGrowth(
        () => detectToolError(few.slice(0, small / 10), few),
        () => detectToolError(many.slice(0, large / 10), many),
        { factor: large / small },
      )
    })
  }

  test('text in text in text takes time in proportion, although every level doubles the escapes', async () => {
    const nested = (levels: number) =>
      Array.from({ length: levels }).reduce<string>((text) => JSON.stringify({ text }), '"x"')
    const [few, many] = [nested(11), nested(17)]
    const work = (output: string) => () => detectToolError(output.slice(0, output.length / 10), output)
    await assertGrowth(work(few), work(many), { factor: many.length / few.length })
  })

  test('any text and any JSON give a verdict', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), fc.string(), (output, input) => {
        assert.match(detectToolError(input, output).verdict, /^(?:error|ok|unsure)$/)
      }),
      { numRuns: 500 },
    )
  })
})
