import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatCompact } from '../../dashboard/src/ui/format.ts'

test('a large number has few digits and a unit that cannot be misread', () => {
  const cases = [0, 999, 1_000, 20_800, 999_960, 5_200_000, -5_200_000, 3_000_000_000, 7e15]
  assert.deepEqual(cases.map(formatCompact), [
    '0',
    '999',
    '1K',
    '20.8K',
    '1M',
    '5.2M',
    '-5.2M',
    '3B',
    '7,000T',
  ])
})
