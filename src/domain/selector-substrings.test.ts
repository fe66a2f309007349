import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SubstringIndex } from './selector-substrings.ts'

// Few characters make many hits; the last two are two units of one character and a text of other bits.
const text = fc
  .array(fc.constantFrom('a', 'b', '-', '👋', 'ġ'), { maxLength: 7 })
  .map((parts) => parts.join(''))
const texts = fc.uniqueArray(text, { maxLength: 60, size: 'max' })

function findAll(index: SubstringIndex<string>, within: string): string[] {
  const found: string[] = []
  index.find(within, found)
  return [...new Set(found)].sort()
}

test('it finds exactly the texts that occur, also after texts were taken out', () => {
  fc.assert(
    fc.property(texts, texts, fc.array(text, { maxLength: 3 }), (added, removed, withins) => {
      const index = new SubstringIndex<string>()
      for (const each of added) index.add(each, each)
      const check = (held: readonly string[]) => {
        assert.equal(index.size, held.length)
        for (const within of ['', ...withins, withins.join('-')]) {
          assert.deepEqual(findAll(index, within), held.filter((each) => within.includes(each)).sort())
        }
      }
      check(added)
      for (const each of removed) index.delete(each)
      const left = added.filter((each) => !removed.includes(each))
      check(left)
      const back = removed.filter((each) => added.includes(each))
      for (const each of back) index.add(each, each)
      check([...left, ...back])
      for (const each of added) assert.equal(index.get(each), each)
    }),
    { numRuns: 300 },
  )
})
