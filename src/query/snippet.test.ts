import assert from 'node:assert/strict'
import { test } from 'node:test'
import { snippetOf } from './snippet.ts'

/** The snippet with its matches in brackets. */
function marked(text: string, needle: string): string | undefined {
  const snippet = snippetOf(text, needle.toLowerCase())
  if (!snippet) return undefined
  const characters = Array.from(snippet.text)
  let line = ''
  let at = 0
  for (const { start, end } of snippet.matches) {
    line += `${characters.slice(at, start).join('')}[${characters.slice(start, end).join('')}]`
    at = end
  }
  return line + characters.slice(at).join('')
}

test('a snippet marks every match around the first, in any case', () => {
  assert.equal(marked('Refund? Our REFUND policy.', 'refund'), '[Refund]? Our [REFUND] policy.')
  assert.equal(marked('no such word', 'refund'), undefined)
})

test('a snippet is one line that is cut at both ends', () => {
  const line = marked(`${'a '.repeat(100)}\n\nthe\tneedle\u0000${' b'.repeat(200)}`, 'the\tneedle') ?? ''
  assert.match(line, /^… ?a a .* a \[the needle\] b b .*…$/)
  assert.ok(line.length < 260, line)
})

test('offsets count characters, also before ones of two units', () => {
  assert.deepEqual(snippetOf('👋👋 hello', 'hello'), { text: '👋👋 hello', matches: [{ start: 3, end: 8 }] })
  const long = marked(`${'👋'.repeat(200)} hello ${'👋'.repeat(200)}`, 'hello') ?? ''
  assert.ok(long.includes('[hello]') && long.isWellFormed(), long)
})

test('letters that are longer in lower case do not shift what is marked', () => {
  assert.equal(marked('İİİ İstanbul is large', 'istanbul'), undefined)
  assert.equal(marked('İİİ Ankara is large', 'ankara'), 'İİİ [Ankara] is large')
})

test('a snippet marks no more matches than it names', () => {
  assert.equal(snippetOf('a'.repeat(1_000), 'a')?.matches.length, 20)
})
