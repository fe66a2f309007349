import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateSays, datesOf, wholeDate } from './dates.ts'
import { quantitiesOf, sameQuantity, wholeQuantity } from './quantities.ts'

function isSame(left: string, right: string): boolean {
  const [a, b] = [wholeQuantity(left), wholeQuantity(right)]
  assert.ok(a && b, `${left} and ${right} are numbers`)
  return sameQuantity(a, b)
}

test('numbers are read in digits and in words, with scales', () => {
  const amounts = (text: string) => quantitiesOf(text).map(({ amount }) => amount)
  assert.deepEqual(amounts('1,776 steps, 3.5 points, twenty-one men'), [1776, 3.5, 21])
  assert.deepEqual(amounts('one hundred and five of 1.9 billion, two million'), [105, 1.9e9, 2e6])
  assert.deepEqual(amounts('ten, 21st, -4'), [10, 21, -4])
  assert.deepEqual(amounts('the tenant of B12 in the 1990s'), [])
})

test('equal amounts in other units are the same, others are not', () => {
  assert.ok(isSame('5 km', '5000 metres'))
  assert.ok(isSame('5km', '5 kilometers'))
  assert.ok(isSame('90 minutes', '1.5 hours'))
  assert.ok(isSame('$75,000', '75000 dollars'))
  assert.ok(isSame('5%', 'five percent'))
  assert.ok(isSame('2 years', '24 months'))
  assert.ok(!isSame('5 km', '5 miles'))
  assert.ok(!isSame('5%', '$5'))
})

test('a bare number is compared with the number beside a unit', () => {
  assert.ok(isSame('18', '18 years'))
  assert.ok(!isSame('216', '18 years'))
  assert.ok(isSame('36.0', '36'))
})

test('a text that says more than a number is no whole number', () => {
  assert.equal(wholeQuantity('36 scholarships'), undefined)
  assert.equal(wholeQuantity('5 or 6'), undefined)
  assert.equal(wholeQuantity('none'), undefined)
})

test('dates are read in the ways that English writes them', () => {
  const day = { year: 2018, month: 3, day: 8 }
  for (const text of ['March 8, 2018', '8 March 2018', '8th of March, 2018', '2018-03-08', 'Mar. 8 2018'])
    assert.deepEqual(datesOf(text), [day], text)
  assert.deepEqual(datesOf('in May 2004 and on June 5'), [
    { year: 2004, month: 5 },
    { month: 6, day: 5 },
  ])
  assert.deepEqual(datesOf('1999, but not 1,999 or 1999 %'), [{ year: 1999 }])
})

test('a date says what is asked when all that is asked is in it', () => {
  assert.ok(dateSays({ year: 1999, month: 1, day: 8 }, { year: 1999 }))
  assert.ok(!dateSays({ year: 1999 }, { year: 1999, month: 1 }))
  assert.deepEqual(wholeDate('on 8 January 1999.'), { year: 1999, month: 1, day: 8 })
  assert.equal(wholeDate('born on 8 January 1999'), undefined)
})
