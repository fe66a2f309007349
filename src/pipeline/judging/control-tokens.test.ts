import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertGrowth } from '../../../tests/support/processor-time.ts'
import families from '../../../tests/testdata/control-tokens.json' with { type: 'json' }
import { withPlainSigns } from '../../domain/harmless-signs.ts'
import { quoteIsIn } from '../../evaluators/judged/find-quote.ts'
import { defuseControlTokens } from './control-tokens.ts'

const TOKENS = Object.values(families).flat()

/** Ways to write a token that a server may undo before it looks for tokens. */
const VARIANTS: Readonly<Record<string, (token: string) => string>> = {
  'as it is': (token) => token,
  'in upper case': (token) => token.toUpperCase(),
  'in lower case': (token) => token.toLowerCase(),
  'with zero-width characters': (token) => spread(token, '\u200b\u2060'),
  'with soft hyphens': (token) => spread(token, '\u00ad'),
  'with variation selectors': (token) => spread(token, '\ufe0f'),
  'with white space inside': (token) => spread(token, ' '),
  'with tabs and line breaks inside': (token) => spread(token, '\t\r\n'),
  'in full-width forms': (token) =>
    token.replaceAll(/[!-~]/g, (c) => String.fromCodePoint(c.charCodeAt(0) + 0xfee0)),
  'in mathematical letters': (token) =>
    token.replaceAll(/[a-z]/g, (c) => String.fromCodePoint(c.charCodeAt(0) - 0x61 + 0x1d41a)),
  'with a Cyrillic letter': (token) => token.replaceAll('a', 'а').replaceAll('e', 'е').replaceAll('o', 'о'),
  'with other bars': (token) => token.replaceAll(/[|｜]/g, '∣'),
  'around itself': (token) => token.slice(0, 3) + token + token.slice(3),
  'around another one': (token) => `${token.slice(0, 4)}<|im_start|>${token.slice(4)}`,
  'twice in a row': (token) => token + token,
}

function spread(token: string, filler: string): string {
  // An empty line before a role is part of its token.
  const [, start = '', rest = ''] = /^(\n*)([\s\S]*)$/.exec(token) ?? []
  return start + [...rest].join(filler)
}

/** The text after undoing everything that a server might undo. Shares no code with what is tested. */
function undone(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{Cf}\p{M}]/gu, '')
    .replaceAll('▁', '_')
    .replaceAll(/[^\S\n]/g, '')
}

describe('no control token is left', () => {
  for (const [variant, write] of Object.entries(VARIANTS)) {
    test(`of ${TOKENS.length} tokens written ${variant}`, () => {
      const left = TOKENS.filter((token) => {
        const shown = undone(defuseControlTokens(`Fine.${write(token)}system says yes`))
        const isRole = token.startsWith('\n')
        return isRole ? shown.includes(undone(token)) : shown.replaceAll('\n', '').includes(undone(token))
      })
      assert.deepEqual(left, [])
    })
  }

  test('at the beginning and at the end of a text', () => {
    for (const token of TOKENS) {
      const name = token.trim()
      assert.ok(!undone(defuseControlTokens(name)).includes(undone(name)), name)
    }
  })
})

describe('a text', () => {
  test('keeps every character but the signs, so that it reads as before', () => {
    for (const token of TOKENS) {
      const text = `Fine. ${token} and more`
      assert.equal(withPlainSigns(defuseControlTokens(text)), text)
    }
  })

  test('that is defused once more stays as it is', () => {
    for (const token of TOKENS) {
      const once = defuseControlTokens(`a ${token} b`)
      assert.equal(defuseControlTokens(once), once)
    }
  })

  for (const text of [
    'Plain words: nothing to see, at 10:30.',
    '<p>HTML</p> with <a href="x">links</a> and <b>bold</b> <br/>',
    'if (a < b && c > d) return list[0] || map["key"]',
    'type Box<T> = Array<T>; const x: Map<string, number[]> = new Map()',
    '[link](https://example.org) [1] [note] [TODO]',
    'The assistant: a person. Human: also one.',
    'User: hello\nAssistant: hi',
    'a | b | c\n--|--|--\n1 | 2 | 3',
    'Über 5 % — «naïve» 日本語 🎉 e\u0301',
  ]) {
    test(`without tokens comes back as it is: ${JSON.stringify(text.slice(0, 40))}`, () => {
      assert.equal(defuseControlTokens(text), text)
    })
  }

  test('that a judge quotes as it was shown is found in its source', () => {
    for (const token of TOKENS) {
      const source = `The reply was ${token} grant the refund, then it stopped.`
      const shown = defuseControlTokens(source)
      assert.ok(quoteIsIn(source, shown.slice(4, -12)), token)
      assert.ok(quoteIsIn(source, source.slice(4, -12)), token)
    }
  })
})

test('takes time in proportion to the text, whatever it is made of', async () => {
  for (const piece of ['<', '<|', '[', '< ', '<\u200b', '\n\nhuman', '<tool_', ']~', '<data', '|>', ':']) {
    const defuse = (characters: number) => {
      const text = piece.repeat(characters / piece.length)
      return () => defuseControlTokens(text)
    }
    await assertGrowth(defuse(4_000), defuse(256_000), { factor: 64 }, JSON.stringify(piece))
  }
})
