import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type KeyPress, shortcutFor } from '../../dashboard/src/shell/shortcut-for.ts'

/** An element of which `closest` finds exactly these selectors. */
const inside = (...kinds: readonly string[]) => ({
  closest: (selector: string) => (selector.split(', ').some((one) => kinds.includes(one)) ? {} : null),
})

const press = (key: string, changes: Partial<KeyPress> = {}): KeyPress => ({
  ...{ key, ctrlKey: false, metaKey: false, altKey: false, target: inside() },
  ...changes,
})

const shortcut = (keys: string, label: string) => ({ keys, label, run() {} })
const GROUPS = [
  { title: 'Everywhere', shortcuts: [shortcut('mod+k', 'palette'), shortcut('?', 'list')] },
  { title: 'Inbox', shortcuts: [shortcut('k', 'up'), shortcut('enter', 'open'), shortcut('?', 'own list')] },
]
const labelFor = (given: KeyPress) => shortcutFor(given, GROUPS)?.label

describe('a shortcut', () => {
  test('is found by its key, with Ctrl and with Cmd, and the newest one of a key wins', () => {
    assert.equal(labelFor(press('k', { ctrlKey: true })), 'palette')
    assert.equal(labelFor(press('K', { metaKey: true })), 'palette')
    assert.equal(labelFor(press('k')), 'up')
    assert.equal(labelFor(press('?')), 'own list')
    assert.equal(labelFor(press('j')), undefined)
    assert.equal(labelFor(press('k', { altKey: true })), undefined)
    assert.equal(labelFor(press('?', { ctrlKey: true })), undefined)
  })

  test('rests while the user types, chooses from a list or has a dialog open', () => {
    for (const place of [
      'input',
      'textarea',
      'select',
      '[role="combobox"]',
      '[contenteditable]',
      '[role="dialog"]',
    ])
      for (const given of [press('k'), press('?'), press('k', { ctrlKey: true })])
        assert.equal(labelFor({ ...given, target: inside(place) }), undefined, place)
  })

  test('leaves Enter to a button or link that has the focus', () => {
    assert.equal(labelFor(press('Enter')), 'open')
    for (const place of ['a', 'button', '[role="tab"]'])
      assert.equal(labelFor(press('Enter', { target: inside(place) })), undefined, place)
    assert.equal(labelFor(press('k', { target: inside('button') })), 'up')
  })
})
