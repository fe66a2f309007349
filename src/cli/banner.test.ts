import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import type { FirstKey } from '../control/first-key.ts'
import { renderBanner } from './banner.ts'

const SECRET = 'tl_0123456789abcdefghijklmnopqrstuvwxyzABCDEF'
const file = path.resolve('/somewhere/data/api-key')
const made: FirstKey = { kind: 'made', secret: SECRET, file }
const banner = (firstKey: FirstKey, isTerminal: boolean | undefined) =>
  renderBanner({ address: 'http://localhost:1', firstKey, judge: undefined, role: 'all' }, isTerminal)

test('a new key is shown on a terminal, with a command that has it', () => {
  assert.ok(banner(made, true).includes(`API key: ${SECRET}`))
  assert.ok(banner(made, true).includes(`Bearer ${SECRET}`))
})

for (const isTerminal of [false, undefined]) {
  test(`a log never gets the key, but the file that has it (isTTY is ${isTerminal})`, () => {
    const text = banner(made, isTerminal)
    assert.ok(!text.includes(SECRET))
    assert.ok(text.includes(`API key: in ${file}`))
    assert.ok(text.includes(`Bearer $(cat ${file})`))
  })
}
