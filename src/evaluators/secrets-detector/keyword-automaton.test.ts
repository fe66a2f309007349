import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { KeywordAutomaton } from './keyword-automaton.ts'

function findAll(keywords: readonly string[], text: string): string[] {
  const found: string[] = []
  new KeywordAutomaton(keywords).scan(text, (keyword, end) => {
    found.push(`${keywords[keyword]}@${end}`)
    return false
  })
  return found.sort()
}

function searchEach(keywords: readonly string[], text: string): string[] {
  const found: string[] = []
  for (const keyword of keywords) {
    for (let end = keyword.length; end <= text.length; end++) {
      if (text.slice(end - keyword.length, end).toLowerCase() === keyword.toLowerCase())
        found.push(`${keyword}@${end}`)
    }
  }
  return found.sort()
}

test('finds keywords inside and across each other, in both cases', () => {
  assert.deepEqual(findAll(['he', 'she', 'his', 'hers'], 'uSHErs'), ['he@4', 'hers@6', 'she@4'])
})

test('finds keywords beyond ASCII', () => {
  assert.deepEqual(findAll(['пароль', '密码'], 'ПАРОЛЬ и 密码'), ['пароль@6', '密码@11'])
})

test('finds what a search for each keyword finds', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'A'), minLength: 1, maxLength: 4 })
  const keywordLists = fc.uniqueArray(word, {
    minLength: 1,
    maxLength: 8,
    selector: (one) => one.toLowerCase(),
  })
  const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'B', 'x'), maxLength: 40 })
  fc.assert(
    fc.property(keywordLists, texts, (keywords, text) => {
      assert.deepEqual(findAll(keywords, text), searchEach(keywords, text))
    }),
  )
})

test('stops at the first keyword that is taken', () => {
  let seen = 0
  const automaton = new KeywordAutomaton(['a'])
  assert.equal(
    automaton.scan('aaaa', () => {
      seen++
      return seen === 2
    }),
    true,
  )
  assert.equal(seen, 2)
  assert.equal(
    automaton.scan('bbb', () => true),
    false,
  )
})
