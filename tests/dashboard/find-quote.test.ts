import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findQuotes, quotesIn } from '../../dashboard/src/pages/monitors/evidence.ts'
import { QuoteFinder } from '../../dashboard/src/ui/find-quote.ts'
import { assertGrowth } from '../support/processor-time.ts'

/** The parts of a text that a quote is marked as. */
const marked = (text: string, quote: string) =>
  new QuoteFinder(text).find(quote)?.map(({ from, to }) => text.slice(from, to))

test('a quote is found whatever its case, white space, quotation marks and dashes', () => {
  const text = 'It does not cover  water\ndamage — not even “splashes”.'
  assert.deepEqual(marked(text, 'does not cover water damage - not even "splashes".'), [
    'does not cover  water\ndamage — not even “splashes',
  ])
})

test('three dots stand for what was left out, and the parts must come in order', () => {
  const text = 'First the one, then the other.'
  assert.deepEqual(marked(text, 'the one ... the other'), ['the one', 'the other'])
  assert.equal(marked(text, 'the other ... the one'), undefined)
})

test('a quote that does not stand in the text is not found, nor is one of marks alone', () => {
  assert.equal(marked('Oslo is in Norway.', 'Oslo is in Sweden'), undefined)
  assert.equal(marked('Oslo is in Norway.', ' "..." '), undefined)
})

test('characters outside the basic plane are not cut in two', () => {
  assert.deepEqual(marked('so 👋 it is 👋 now', '👋 it is 👋'), ['👋 it is 👋'])
})

test('a text of several hundred kilobytes is searched in time in proportion to its length', async () => {
  const search = (count: number) => {
    const text = `${'The clauses of the terms follow, and each is long. '.repeat(count)}Refunds take five days.`
    return () => assert.deepEqual(marked(text, 'refunds take five days'), ['Refunds take five days'])
  }
  await assertGrowth(search(160), search(10_240), { factor: 64 })
})

test('quotes are gathered from any depth of the evidence, each once', () => {
  const evidence = {
    claims: [
      { item: 'a', verdict: 'supported', quote: 'one' },
      { item: 'b', verdict: 'supported', quote: 'one' },
    ],
    memory: { turns: [{ verdict: 'remembers', quote: 'two' }], facts: ['no quote'] },
    single: { verdict: 'failed', quote: '  ' },
  }
  assert.deepEqual(quotesIn(evidence), ['one', 'two'])
})

test('a quote of a transcript is looked for without the number and the name of its turn', () => {
  const texts = ['We do not ship.', JSON.stringify({ customer: 'A-1' }, undefined, 2)]
  const spoken = '[6] assistant: We do not ship.'
  const called = '[7] assistant calls find_order({"customer":"A-1"})'
  const found = findQuotes(texts, [spoken, called, 'Never said.'])
  assert.deepEqual([...found.keys()], [spoken, called])
  assert.equal(found.get(spoken), 'We do not ship.')
  assert.equal(found.get(called), '{"customer":"A-1"}')
})
