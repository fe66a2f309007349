// The noisy tenant in a thread of its own, so that what it does delays no clock of the quiet one.

import { parentPort, workerData } from 'node:worker_threads'
import { ATTACKS } from './neighbour-attacks.ts'

const port = parentPort
if (!port) throw new Error('neighbour-attack-thread runs only as a worker thread')
const { name, url, key, round }: { name: string; url: string; key: string; round: number } = workerData
const attack = ATTACKS.find((each) => each.name === name)
if (!attack) throw new Error(`there is no attack ${name}`)
const stopping = new AbortController()
const clear = await attack.start({ url, key, round, signal: stopping.signal })
port.postMessage('started')
port.once('message', async () => {
  stopping.abort()
  await clear()
  port.postMessage('ended')
})
