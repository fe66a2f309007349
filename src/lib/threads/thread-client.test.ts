import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { ThreadClient } from './thread-client.ts'

interface Call {
  readonly id: number
  readonly name: string
}
type Outcome = { readonly id: number } & ({ readonly value: string } | { readonly error: string })

/** A thread that answers what it is asked, several calls in one message where they are called `held`. */
function clientOf() {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
    const held = [];
    parentPort.on('message', (message) => {
      if (message === 'close') return parentPort.close();
      if (message.name === 'held') return held.push({ id: message.id, value: 'late' });
      if (message.name === 'silent') return;
      const outcome = message.name === 'bad' ? { error: 'refused' } : { value: message.name };
      parentPort.postMessage([{ id: message.id, ...outcome }, ...held.splice(0)]);
    })`,
    { eval: true },
  )
  after(() => worker.terminate())
  const client = new ThreadClient<Call, Outcome>(worker, (outcome) => {
    if ('error' in outcome) throw new Error(outcome.error)
    return outcome.value
  })
  worker.on('exit', () => client.lose(new Error('it ended')))
  return client
}

test('answers go to their calls, in whatever order and company they come', async () => {
  const client = clientOf()
  const order: string[] = []
  const note = (name: string) => client.call({ name }, [], ({ id }) => void order.push(`${id}`))
  const [first, second, third] = [note('held'), note('held'), note('now')]
  assert.equal(client.pending, 3)
  assert.equal(client.oldest, 1)
  assert.deepEqual(await Promise.all([first, second, third]), ['late', 'late', 'now'])
  assert.deepEqual(order, ['3', '1', '2'])
  assert.equal(client.pending, 0)
  await assert.rejects(client.call({ name: 'bad' }), { message: 'refused' })
})

test('a thread that is lost rejects what is in it, each call with its own error, and refuses the rest', async () => {
  const client = clientOf()
  const calls = [client.call({ name: 'silent' }), client.call({ name: 'silent' })]
  client.lose(new Error('gone'), (id) => new Error(`call ${id}`))
  await assert.rejects(calls[0] as Promise<unknown>, { message: 'call 1' })
  await assert.rejects(calls[1] as Promise<unknown>, { message: 'call 2' })
  await assert.rejects(client.call({ name: 'now' }), { message: 'gone' })
})

test('finishing lets the thread answer what it has, and takes nothing more', async () => {
  const client = clientOf()
  const last = client.call({ name: 'now' })
  const closed = client.finish('close', new Error('closed'))
  await assert.rejects(client.call({ name: 'now' }), { message: 'closed' })
  assert.equal(await last, 'now')
  await closed
})
