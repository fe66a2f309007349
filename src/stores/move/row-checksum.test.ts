import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RowChecksum, type StoredValue } from './row-checksum.ts'

function checksumOf(...rows: StoredValue[][]): string {
  const checksum = new RowChecksum()
  for (const row of rows) checksum.add(row)
  return String(checksum)
}

test('the order of rows makes no difference, and neither does the class of bytes', () => {
  const rows = [
    ['a', 1, null],
    ['b', 2.5, Buffer.of(1, 2)],
  ]
  assert.equal(checksumOf(...rows), checksumOf(...rows.toReversed()))
  assert.equal(checksumOf([Buffer.of(1, 2)]), checksumOf([Uint8Array.of(1, 2)]))
})

test('rows that are not the same have other bytes', () => {
  const different: StoredValue[][] = [
    ...[
      ['ab', 'c'],
      ['a', 'bc'],
      ['abc', ''],
      ['', 'abc'],
      ['abc', null],
    ],
    ...[['1'], [1], [Buffer.from('1')], [null], [''], [Buffer.of()], [0]],
  ]
  assert.equal(new Set(different.map((row) => checksumOf(row))).size, different.length)
  assert.notEqual(checksumOf(['a'], ['a']), checksumOf())
})
