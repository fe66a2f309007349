// npm run bench:start [-- --times 10]: how long `npm start` takes to the first good answer of /healthz, npm included.
// The first start of a fresh clone also installs; this is about the later ones, on a store that is there already.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'

const root = path.dirname(import.meta.dirname)
const { values } = parseArgs({ options: { times: { type: 'string', default: '10' } } })
const dataDir = mkdtempSync(path.join(os.tmpdir(), 'assay-start-'))
const port = await freePort()

await startOnce()
const times: number[] = []
for (let run = 0; run < Number(values.times); run++) times.push(await startOnce())
rmSync(dataDir, { recursive: true })
times.sort((a, b) => a - b)
const shown = [times[0], times[Math.floor(times.length / 2)], times.at(-1)].map(
  (ms) => `${Math.round(ms ?? 0)} ms`,
)
console.log(`${times.length} starts: fastest ${shown[0]}, median ${shown[1]}, slowest ${shown[2]}`)

async function startOnce(): Promise<number> {
  const startMs = performance.now()
  const env = { ...process.env, PORT: String(port), ASSAY_DATA_DIR: dataDir }
  const child = spawn('npm', ['start'], { cwd: root, env, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  while (!(await isHealthy())) await new Promise((resolve) => setTimeout(resolve, 5))
  const tookMs = performance.now() - startMs
  child.kill('SIGTERM')
  await ended
  return tookMs
}

async function isHealthy(): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/healthz`).then(
    ({ status }) => status === 200,
    () => false,
  )
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = server.address() as net.AddressInfo
      server.close(() => resolve(free))
    })
  })
}
