import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ScriptedJudge, verdictsBy } from '../../../tests/support/scripted-judge.ts'
import { PublicError } from '../../lib/public-error.ts'
import { JUDGED_SOURCE_CHARS_MAX } from '../judged/limits.ts'
import { judgeByTurns } from './judge-by-turns.ts'
import { readExchanges, readTurns, requireReadable, TURNS_MAX, type Turn, transcriptOf } from './turns.ts'
import { windowsOf } from './windows.ts'

const brief = (turns: readonly Turn[]) => turns.map(({ role, text }) => `${role}: ${text}`)

describe('exchanges', () => {
  test('go from prompt to completion and back, also when one list is longer', () => {
    assert.deepEqual(brief(readExchanges(['a', 'b'], ['1', '2', '3'])), [
      'user: a',
      'assistant: 1',
      'user: b',
      'assistant: 2',
      'assistant: 3',
    ])
  })

  test('are read from texts, messages, parts, lists of messages and anything else', () => {
    const turns = readExchanges(
      [
        'plain',
        { role: 'user', content: [{ type: 'text', text: 'in parts' }] },
        [
          { role: 'system', content: 'be kind' },
          { role: 'user', content: 'in a list' },
        ],
        { query: 'no message' },
        7,
        null,
      ],
      [],
    )
    assert.deepEqual(brief(turns), [
      'user: plain',
      'user: in parts',
      'system: be kind',
      'user: in a list',
      'user: {"query":"no message"}',
      'user: 7',
    ])
  })

  test('keep the calls of tools, and the results name the tool that they answer', () => {
    const turns = readTurns(
      [
        { role: 'user', content: 'Weather?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: '4 °C' },
      ],
      'messages',
    )
    assert.deepEqual(turns[1]?.calls[0], { name: 'weather', arguments: { city: 'Oslo' }, id: 'c1' })
    assert.equal(turns[2]?.tool, 'weather')
    assert.equal(
      transcriptOf(turns),
      '[1] user: Weather?\n[2] assistant calls weather({"city":"Oslo"})\n[3] tool weather: 4 °C',
    )
  })

  test('are refused when there is none or there are too many, with the name of the field', () => {
    assert.throws(() => readExchanges([], ['a'], ['trajectory_prompts', 'trajectory_completions']), {
      message: 'invalid input: input.trajectory_prompts must contain at least one item',
    })
    assert.throws(() => readTurns([], 'messages'), /input\.messages must contain at least one item/)
    assert.throws(() => readTurns(Array(TURNS_MAX + 1).fill('x'), 'messages'), /at most 2000 turns/)
  })

  test('that are too long for a judge are refused, never cut', () => {
    requireReadable('prompts', 'x'.repeat(JUDGED_SOURCE_CHARS_MAX))
    assert.throws(
      () => requireReadable('prompts', 'x'.repeat(JUDGED_SOURCE_CHARS_MAX), 'y'),
      (error) =>
        error instanceof PublicError && error.kind === 'too_large' && /input\.prompts/.test(error.message),
    )
  })
})

describe('windows', () => {
  const turns = readExchanges(
    Array.from({ length: 10 }, (_, at) => `question ${at} ${'x'.repeat(100)}`),
    Array.from({ length: 10 }, (_, at) => `answer ${at} ${'x'.repeat(100)}`),
  )

  test('have every turn once, fit their size and begin with the turns before', () => {
    const windows = windowsOf(turns, 700)
    assert.ok(windows.length > 2)
    assert.deepEqual(
      windows.flatMap(({ fresh }) => fresh),
      turns,
    )
    for (const window of windows) assert.ok(transcriptOf(window.turns).length <= 720)
    assert.deepEqual(windows[1]?.turns.slice(0, 2), windows[0]?.turns.slice(-2))
  })

  test('of a short conversation are one', () => {
    assert.equal(windowsOf(turns).length, 1)
  })
})

describe('a long conversation', () => {
  const turns = readExchanges(
    Array.from({ length: 60 }, (_, at) => `Question ${at}? ${'filler words '.repeat(60)}`),
    Array.from({ length: 60 }, (_, at) => (at === 41 ? 'The parcel was sent.' : `Nothing ${at}.`)),
  )
  const question = {
    prompt: 'test/look@1',
    task: 'Look.',
    turns,
    verdicts: ['there', 'absent'],
    shown: ['there'],
    otherwise: 'absent',
  } as const
  const judge = () =>
    new ScriptedJudge({
      'test/look': verdictsBy((text, { data }) =>
        text.includes('parcel') && data['conversation']?.includes('parcel was sent')
          ? ['there', 'The parcel was sent.']
          : ['absent'],
      ),
    })

  test('is asked about in parts, those that have to do with the items first', async () => {
    const first = judge()
    const [item] = await judgeByTurns(first, { ...question, items: ['the parcel is sent'] })
    assert.equal(item?.verdict, 'there')
    assert.equal(first.asked.length, 1)
  })

  test('is searched to its end before something counts as absent', async () => {
    const thorough = judge()
    const [item] = await judgeByTurns(thorough, { ...question, items: ['the invoice is paid'] })
    assert.equal(item?.verdict, 'absent')
    const seen = thorough.asked.map(({ data }) => data['conversation']).join('\n')
    for (const turn of turns) assert.ok(seen.includes(turn.text.slice(0, 20)), turn.text.slice(0, 20))
    assert.ok(thorough.asked.length > 1)
  })
})
