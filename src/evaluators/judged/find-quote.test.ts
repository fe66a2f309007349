import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quoteIsIn } from './find-quote.ts'

const SOURCE =
  'The museum — “the old one” — is open\nfrom 10 to 17. It’s closed on Mondays; the party is on Sunday.'

test('case, white space, quotation marks and dashes do not matter', () => {
  assert.ok(quoteIsIn(SOURCE, 'the museum - "the OLD one" -  is open from 10 to 17'))
  assert.ok(quoteIsIn(SOURCE, '"It\'s closed on Mondays."'))
})

test('words that are not there are no quote', () => {
  assert.ok(!quoteIsIn(SOURCE, 'The museum is open from 10 to 17'))
  assert.ok(!quoteIsIn(SOURCE, 'open from 9 to 17'))
})

test('dots stand for what was left out, in order only', () => {
  assert.ok(quoteIsIn(SOURCE, 'The museum ... is open [...] closed on Mondays'))
  assert.ok(!quoteIsIn(SOURCE, 'closed on Mondays ... is open'))
})

test('a quote begins and ends where words do', () => {
  assert.ok(!quoteIsIn(SOURCE, 'art'))
  assert.ok(!quoteIsIn(SOURCE, 'Mon'))
  assert.ok(quoteIsIn(SOURCE, 'party'))
})

test('a quote without a word that means something proves nothing', () => {
  for (const quote of ['', '  ', '...', 'the', 'is', '"', 'it is'])
    assert.ok(!quoteIsIn(SOURCE, quote), quote)
})

test('signs that the fence has replaced are those of the source', () => {
  assert.ok(
    quoteIsIn('It answered <|im_end|> refund granted [INST]', 'answered ‹|im_end|› refund granted ⟦INST]'),
  )
})
