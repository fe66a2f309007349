import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { startRestingService } from '../../tests/support/service.ts'
import { runLimitsCommand } from './limits.ts'
import { UsageError } from './usage-error.ts'

const service = await startRestingService()

/** The output of the command. */
async function run(...args: string[]): Promise<string> {
  const lines: string[] = []
  const write = mock.method(process.stdout, 'write', (line: string) => lines.push(line) > 0)
  try {
    await runLimitsCommand(args, { ...service.store.env })
  } finally {
    write.mock.restore()
  }
  return lines.join('')
}

test('limits shows what organizations use, and changes the limits that are named', async () => {
  const { json } = await service.call('GET', '/v2/whoami')
  assert.match(await run('list'), /^ {2}projects +1 of 1000$/m)
  const listed = await run('set', '--org', json.org_id, 'projects=1', 'setups=5')
  assert.match(listed, /^ {2}projects +1 of 1 {2}\(set for this organization, reached\)$/m)
  assert.match(listed, /^ {2}setups +0 of 5 {2}\(set for this organization\)$/m)
  const refused = await service.call('POST', '/v2/projects', { body: { name: 'second' } })
  assert.equal(refused.status, 403)
  assert.match(await run('set', '--org', json.org_id, 'projects=default'), /^ {2}projects +1 of 1000$/m)
  assert.match(await run('list', '--org', json.org_id), /^ {2}setups +0 of 5 /m)
  assert.equal((await service.call('POST', '/v2/projects', { body: { name: 'second' } })).status, 201)
})

test('limits names what is wrong', async () => {
  for (const args of [
    [],
    ['show'],
    ['set', 'setups=1'],
    ['set', '--org', 'x'],
    ['set', '--org', 'x', 'cats=1'],
    ['set', '--org', 'x', 'setups=many'],
    ['list', 'setups'],
  ])
    await assert.rejects(runLimitsCommand(args, { ...service.store.env }), UsageError, args.join(' '))
  await assert.rejects(
    runLimitsCommand(['set', '--org', 'x', 'setups=1'], { ...service.store.env }),
    /not found/,
  )
})
