import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertGrowth } from '../../../tests/support/processor-time.ts'
import { AlignedSource } from './align-statement.ts'
import { isSupported } from './support.ts'

const source = new AlignedSource(
  'The company was founded in Oslo in 1998. Its revenue rose to 5 million dollars in 2010. It has not paid a dividend.',
)

function supports(statement: string): boolean {
  return isSupported(source.align(statement))
}

test('a statement in the words of the source, or close to them, is supported', () => {
  assert.ok(supports('The company was founded in Oslo.'))
  assert.ok(supports('The revenue rose to $5 million in 2010.'))
})

test('another number, another date, an opposite and a dropped negation are found', () => {
  assert.ok(!supports('The revenue rose to 7 million dollars in 2010.'))
  assert.ok(!supports('The company was founded in Oslo in 1989.'))
  assert.ok(!supports('Its revenue fell to 5 million dollars in 2010.'))
  assert.ok(!supports('It has paid a dividend.'))
})

test('another name is found', () => {
  assert.equal(source.align('The company was founded in Bergen.').missingNames, 1)
  assert.equal(source.align('The company was founded in Oslo.').missingNames, 0)
})

test('what the source does not speak of is not supported', () => {
  assert.ok(!supports('Penguins live in the southern hemisphere.'))
})

test('an empty source supports nothing', () => {
  assert.ok(!isSupported(new AlignedSource('').align('The company was founded in Oslo.')))
})

test('statements are compared with a long source in time in proportion to its length', async () => {
  const sentences = Array.from(
    { length: 4_096 },
    (_, at) => `Street ${at} has ${at * 7} houses and ${at % 90} trees.`,
  )
  const compare = (length: number) => () => {
    const source = new AlignedSource(sentences.slice(0, length).join(' '))
    for (const sentence of sentences.slice(0, 64)) assert.ok(isSupported(source.align(sentence)), sentence)
  }
  await assertGrowth(compare(64), compare(4_096), { factor: 64 })
})
