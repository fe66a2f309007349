import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Command, findCommands, traceIdIn } from '../../dashboard/src/shell/palette-search.ts'

const ID = '4bf92f3577b34da6a3ce929d0e0e4736'

function command(group: Command['group'], title: string, note?: string): Command {
  return { id: `${group} ${title}`, group, title, icon: 'search', act: '/', ...(note ? { note } : {}) }
}

const titles = (commands: readonly Command[], text: string) =>
  findCommands(commands, text).map(([group, found]) => [group, found.map(({ title }) => title)])

describe('the command palette', () => {
  test('takes the id of a trace however it was copied', () => {
    for (const text of [ID, ` ${ID.toUpperCase()}\n`, '4bf92f35-77b3-4da6-a3ce-929d0e0e4736'])
      assert.equal(traceIdIn(text), ID)
    for (const text of ['', ID.slice(1), `${ID}0`, ID.replace('4', 'g'), '0'.repeat(32)])
      assert.equal(traceIdIn(text), undefined, text)
  })

  test('offers pages and actions while nothing is typed', () => {
    const all = [command('Setups', 'support'), command('Actions', 'Sign out'), command('Pages', 'Setups')]
    assert.deepEqual(titles(all, ' '), [
      ['Pages', ['Setups']],
      ['Actions', ['Sign out']],
    ])
  })

  test('needs all words, wherever they stand, and puts names that begin with the first one on top', () => {
    const all = [
      command('Monitors', 'answer-faithfulness', 'support'),
      command('Monitors', 'faithfulness', 'search'),
      command('Monitors', 'faithfulness', 'support'),
      command('Monitors', 'toxicity', 'support'),
    ]
    assert.deepEqual(titles(all, 'FAITH'), [
      ['Monitors', ['faithfulness', 'faithfulness', 'answer-faithfulness']],
    ])
    assert.deepEqual(
      findCommands(all, 'support faith').flatMap(([, found]) => found.map(({ note }) => note)),
      ['support', 'support'],
    )
    assert.deepEqual(titles(all, 'faith nothing'), [])
  })

  test('shows the best six of a kind', () => {
    const all = Array.from({ length: 40 }, (_, at) => command('Setups', `setup ${at}`))
    assert.deepEqual(titles([...all, command('Setups', 'a setup')], 'setup'), [
      ['Setups', ['setup 0', 'setup 1', 'setup 2', 'setup 3', 'setup 4', 'setup 5']],
    ])
  })
})
