import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PublicError } from '../../lib/public-error.ts'
import {
  groupsOf,
  MODEL_TEXT_CHARS_MAX,
  requireReadable,
  sentencesOf,
  WHOLE_WINDOW,
  windowsOf,
} from './text-windows.ts'

const tokensOf = (count: number) => Array.from({ length: count }, (_, at) => at + 1000)

for (const [count, windowCount] of [
  [0, 0],
  [1, 1],
  [254, 1],
  [255, 2],
  [444, 2],
  [445, 3],
  [5_000, 26],
] as const) {
  test(`reads ${count} tokens in ${windowCount} windows and misses none`, () => {
    const windows = windowsOf(tokensOf(count), [1, 2], WHOLE_WINDOW)
    assert.equal(windows.length, windowCount)
    assert.deepEqual(new Set(windows.flatMap((window) => window.slice(1, -1))), new Set(tokensOf(count)))
    for (const window of windows) {
      assert.ok(window.length <= 256 && window.at(0) === 1 && window.at(-1) === 2, `${window.length}`)
    }
  })
}

test('shows what lies on a border whole to one window', () => {
  const [first = [], second = []] = windowsOf(tokensOf(400), [1, 2], WHOLE_WINDOW)
  assert.deepEqual(first.slice(-65, -1), second.slice(1, 65))
})

test('refuses texts that are too long together, and names them', () => {
  requireReadable({ text: 'a'.repeat(MODEL_TEXT_CHARS_MAX) })
  const half = 'a'.repeat(MODEL_TEXT_CHARS_MAX / 2)
  assert.throws(
    () => requireReadable({ completion: half, reference: `${half}a` }),
    (error: unknown) => {
      assert.ok(error instanceof PublicError && error.kind === 'too_large')
      assert.match(
        error.message,
        /^input\.completion and input\.reference must have at most 51200 characters/,
      )
      return true
    },
  )
})

test('reads a long text sentence by sentence and misses no token', () => {
  const [stop, mark] = [7, 8]
  const long = Array.from({ length: 70 }, (_, at) => at + 1000)
  const tokens = [...long, stop, 1, 2, stop, 3, 4, 5, 6, mark, mark, 9]
  assert.deepEqual(sentencesOf(tokens, new Set([stop, mark])), [
    [...long, stop],
    [1, 2, stop, 3, 4, 5, 6, mark, mark],
    [9],
  ])
  assert.deepEqual(sentencesOf([1, stop, 2, stop], new Set([stop])), [[1, stop, 2, stop]])
})

test('puts small windows together, in order, up to what is read at once', () => {
  const windows = [100, 100, 56, 1, 256, 255, 2].map((length) => Array.from({ length }, () => length))
  assert.deepEqual(
    [...groupsOf(windows)].map((group) => group.map((window) => window.length)),
    [[100, 100, 56], [1], [256], [255], [2]],
  )
  assert.deepEqual([...groupsOf([])], [])
})
