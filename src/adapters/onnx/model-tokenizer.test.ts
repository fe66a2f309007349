import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { modelDir, type TestModel } from '../../../tests/support/own-models.ts'
import type { OwnModel } from '../../ports/text-classifier.ts'
import { loadTokenizer } from './model-tokenizer.ts'

const tokenizerOf = (name: TestModel, windowTokens: number) =>
  loadTokenizer({ tokenizerFile: path.join(modelDir(name), 'tokenizer.json'), windowTokens } as OwnModel)

const KINDS: readonly TestModel[] = ['word-piece', 'byte-pairs', 'unigram']

for (const kind of KINDS) {
  describe(kind, () => {
    const file = path.join(modelDir(kind), 'expected-tokens.json')
    const expected: { text: string; ids: number[] }[] = JSON.parse(readFileSync(file, 'utf8'))
    for (const { text, ids } of expected) {
      test(`makes the same tokens of ${JSON.stringify(text.slice(0, 30))} as the library that models are trained with`, async () => {
        const windows = [...(await tokenizerOf(kind, 10_000)).windows(text)]
        // A text without tokens has no window; the library answers its two markers.
        assert.deepEqual(
          windows.map((window) => window.ids),
          ids.length > 2 ? [ids] : [],
        )
      })
    }

    test('reads every token of a long text, in windows that overlap and are never too long', async () => {
      const text = 'thank you that was a great help '.repeat(20)
      const [whole] = (await tokenizerOf(kind, 10_000)).windows(text)
      const windows = [...(await tokenizerOf(kind, 18)).windows(text)]
      assert.ok(whole && windows.length > 3)
      const inner = windows.map(({ ids }) => ids.slice(1, -1))
      assert.ok(windows.every(({ ids, tokens }) => ids.length <= 18 && tokens === ids.length - 2))
      assert.ok(windows.every(({ ids }) => ids[0] === whole.ids[0] && ids.at(-1) === whole.ids.at(-1)))
      for (const [at, part] of inner.entries()) {
        if (at > 0) assert.deepEqual(part.slice(0, 2), inner[at - 1]?.slice(-2))
      }
      assert.deepEqual(
        inner.flatMap((part, at) => part.slice(at === 0 ? 0 : 2)),
        whole.ids.slice(1, -1),
      )
    })
  })
}

test('a window that has no room for a token is refused', async () => {
  await assert.rejects(tokenizerOf('word-piece', 2), /its markers fill the 2 tokens of the model/)
})
