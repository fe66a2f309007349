import assert from 'node:assert/strict'
import { test } from 'node:test'
import { damaged, Random } from '../../../tests/otlp/random-traces.ts'
import { simpleKeyLength } from './simple-key-value.ts'
import { ValueCheck } from './value-check.ts'
import { WireReader } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

const VALUES: ((writer: WireWriter) => void)[] = [
  (writer) => writer.string(1, ''),
  (writer) => writer.string(1, 'x'.repeat(20)),
  (writer) => writer.string(1, 'x'.repeat(300)),
  (writer) => writer.bool(2, true),
  (writer) => writer.varint(3, 5),
  (writer) => writer.varint(3, -1),
  (writer) => writer.double(4, 0.5),
]

function keyValue(key: string, value: (writer: WireWriter) => void): Buffer {
  const writer = new WireWriter()
  writer.string(1, key)
  writer.message(2, () => value(writer))
  return writer.finish()
}

test('the short road is taken for what encoders write', () => {
  for (const value of VALUES) {
    const bytes = keyValue('gen_ai.system', value)
    assert.equal(simpleKeyLength(bytes, 0, bytes.length), 'gen_ai.system'.length, bytes.toString('hex'))
  }
})

test('the short road accepts nothing that the long one refuses, and finds the same key', () => {
  const random = new Random(1)
  let taken = 0
  for (let round = 0; round < 40_000; round++) {
    const bytes = damaged(random, keyValue(random.pick(['', 'k', 'a.key']), random.pick(VALUES)))
    const length = simpleKeyLength(bytes, 0, bytes.length)
    if (length < 0) continue
    taken++
    const check = new ValueCheck(new WireReader(bytes))
    assert.doesNotThrow(() => check.keyValue(bytes.length, 0), bytes.toString('hex'))
    assert.deepEqual([check.keyAt, check.keyLength], [2, length], bytes.toString('hex'))
  }
  assert.ok(taken > 1_000, String(taken))
})

test('the short road leaves a varint of eleven bytes and a double of nine to the long one', () => {
  const eleven = Buffer.from([0x0a, 1, 0x6b, 0x12, 12, 0x18, ...Array(10).fill(0xff), 0x01])
  assert.equal(simpleKeyLength(eleven, 0, eleven.length), -1)
  const nine = Buffer.from([0x0a, 1, 0x6b, 0x12, 10, 0x21, ...Array(9).fill(1)])
  assert.equal(simpleKeyLength(nine, 0, nine.length), -1)
})
