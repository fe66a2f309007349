import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { WordPieces } from './word-pieces.ts'

const pieces = new WordPieces(
  readFileSync(new URL('../../../models/encoder/vocab.txt', import.meta.url), 'utf8'),
)

// The numbers are those of the Python package tokenizers, which the model was trained with.
for (const [text, numbers] of [
  ['Hello, World!', [7592, 1010, 2088, 999]],
  ['Ünïcödé naïve café', [27260, 15743, 7668]],
  [
    "don't well-known e-mail@x.com $5.00",
    [2123, 1005, 1056, 2092, 1011, 2124, 1041, 1011, 5653, 1030, 1060, 1012, 4012, 1002, 1019, 1012, 4002],
  ],
  ['日本語テキスト 中文', [1864, 1876, 1950, 1713, 30227, 30233, 30240, 1746, 1861]],
  ['a\u200bb\tc\nd', [11113, 1039, 1040]],
  ['👋🏽 emoji ❤️', [100, 7861, 29147, 2072, 100]],
  [`${'x'.repeat(101)} y`, [100, 1061]],
  [
    'unaffable antidisestablishmentarianism',
    [14477, 20961, 3468, 3424, 10521, 4355, 7875, 13602, 3672, 12199, 2964],
  ],
  ['<|im_start|>~`^|', [1026, 1064, 10047, 1035, 2707, 1064, 1028, 1066, 1036, 1034, 1064]],
  [
    'Ελληνικά русский العربية',
    [
      1159, 29727, 29727, 24824, 16177, 18199, 29726, 14608, 1195, 29748, 29747, 29747, 23925, 15414, 1270,
      23673, 29830, 17149, 29816, 14498, 19433,
    ],
  ],
  [' \n ', []],
] as const) {
  test(`splits ${JSON.stringify(text.slice(0, 40))} like the tokenizer of the training`, () => {
    assert.deepEqual(pieces.split(text), numbers)
  })
}

test('refuses a marker that the vocabulary lacks', () => {
  assert.throws(() => pieces.numberOf('[NO SUCH]'), /the vocabulary has no \[NO SUCH\]/)
})

test('puts the pieces of words together again', () => {
  assert.deepEqual(pieces.join(pieces.split('Unaffable, don’t Ünïcödé ❤️')), [
    'unaffable',
    ',',
    'don',
    '’',
    't',
    'unicode',
    '[UNK]',
  ])
})
