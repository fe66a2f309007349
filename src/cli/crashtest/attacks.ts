import { spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import type { ServiceProcess } from './service-process.ts'
import type { Trial } from './trial.ts'
import type { TrialClient } from './trial-client.ts'

/** How much each attack does. */
export interface AttackSizes {
  /** Kills under load. */
  readonly kills: number
  /** How long the process is stopped. */
  readonly stopMs: number
  /** Connections that a hostile client holds at the same time. */
  readonly hostileSockets: number
}

/** An attack, or a fault; tells how long the service took to recover, in milliseconds. */
export interface Attack {
  readonly name: string
  readonly rounds: (sizes: AttackSizes) => string
  /** Why it cannot be run on this machine; undefined when it can. */
  readonly unavailable?: () => string | undefined
  readonly run: (trial: Trial, sizes: AttackSizes) => Promise<number>
}

const WRITERS = 4
const KILL_MS_MIN = 150
const KILL_MS_MAX = 900
/** The largest file that a process with a full store may write. */
const FILE_BYTES_MAX = 4_194_304
/** Text in each span, so that a few dozen requests fill the store. */
const FILLING_BYTES = 12_000
const FILLING_REQUESTS_MAX = 400
const RECOVERY_MS_MAX = 60_000
const LOOK_MS = 50
const PIPELINED = 200
const WINDOWS = 'needs a POSIX system'

/** The attacks of the short table, in its order. */
export const ATTACKS: readonly Attack[] = [
  {
    name: 'kill -9 under load',
    rounds: ({ kills }) => `${kills} ${kills === 1 ? 'round' : 'rounds'}`,
    run: killUnderLoad,
  },
  {
    name: 'full store',
    rounds: () => '1 round',
    unavailable: () => (process.platform === 'win32' ? WINDOWS : undefined),
    run: fillStore,
  },
  {
    name: 'SIGSTOP beyond a lease',
    rounds: ({ stopMs }) => `1 round of ${Math.round(stopMs / 1_000)} s`,
    unavailable: () => (process.platform === 'win32' ? WINDOWS : undefined),
    run: standStill,
  },
  {
    name: 'hostile client',
    rounds: ({ hostileSockets }) => `${hostileSockets * 3} connections`,
    run: beHostile,
  },
]

/** Kills the service at a random moment while clients send, again and again; the longest time until one is answered again. */
async function killUnderLoad(trial: Trial, { kills }: AttackSizes): Promise<number> {
  let slowestMs = 0
  for (let round = 0; round < kills; round++) {
    const stopping = new AbortController()
    const writers = Array.from({ length: WRITERS }, () => trial.client.sendUntil(stopping.signal))
    await sleep(KILL_MS_MIN + Math.random() * (KILL_MS_MAX - KILL_MS_MIN))
    await trial.end('SIGKILL')
    stopping.abort()
    await Promise.all(writers)
    const killedMs = performance.now()
    await trial.start()
    await untilAnswered(trial.client)
    slowestMs = Math.max(slowestMs, performance.now() - killedMs)
  }
  return slowestMs
}

/** Sends until the store can grow no further, then lets it grow; how long it takes until spans are accepted again. */
async function fillStore(trial: Trial): Promise<number> {
  await trial.end('SIGTERM')
  const blocks = FILE_BYTES_MAX / 512
  const service = await trial.start((command) => [
    'sh',
    '-c',
    `ulimit -S -f ${blocks}; exec "$@"`,
    'sh',
    ...command,
  ])
  let isFull = false
  for (let at = 0; at < FILLING_REQUESTS_MAX && !isFull; at++)
    isFull = !(await trial.client.send(FILLING_BYTES))
  if (!isFull) throw new Error('the store could not be filled')
  const liftedMs = performance.now()
  if (!liftLimit(service)) {
    await trial.end('SIGTERM')
    await trial.start()
  }
  await untilAnswered(trial.client)
  return performance.now() - liftedMs
}

/** Lets a running process write larger files; false where nothing can do that but a restart. */
function liftLimit({ child }: ServiceProcess): boolean {
  const { status } = spawnSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited'])
  return status === 0
}

/** Stops the process for longer than a lease lasts while clients send; how long it takes to answer after it goes on. */
async function standStill(trial: Trial, { stopMs }: AttackSizes): Promise<number> {
  const stopping = new AbortController()
  const writers = Array.from({ length: WRITERS }, () => trial.client.sendUntil(stopping.signal))
  await sleep(KILL_MS_MIN)
  trial.signal('SIGSTOP')
  await sleep(stopMs)
  trial.signal('SIGCONT')
  const wokenMs = performance.now()
  await untilAnswered(trial.client)
  const tookMs = performance.now() - wokenMs
  stopping.abort()
  await Promise.all(writers)
  return tookMs
}

/** Pipelines without reading, sends half of bodies and plain rubbish, while another client goes on sending. */
async function beHostile(trial: Trial, { hostileSockets }: AttackSizes): Promise<number> {
  const { hostname, port } = new URL(trial.client.url)
  const get = `GET /healthz HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`
  const messages = [
    get.repeat(PIPELINED),
    `POST /v1/traces HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: 5000000\r\n\r\n{"resourceSpans":`,
    '\x16\x03\x01\x02\x00rubbish\r\n\r\n',
  ]
  const sockets = messages.flatMap((message) =>
    Array.from({ length: hostileSockets }, () => {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => {})
      socket.write(message)
      return socket.pause()
    }),
  )
  let slowestMs = 0
  for (let at = 0; at < 20; at++) {
    const sentMs = performance.now()
    await untilAnswered(trial.client)
    slowestMs = Math.max(slowestMs, performance.now() - sentMs)
  }
  for (const socket of sockets) socket.destroy()
  return slowestMs
}

/** Sends until the service acknowledges again. */
async function untilAnswered(client: TrialClient): Promise<void> {
  const untilMs = performance.now() + RECOVERY_MS_MAX
  while (!(await client.send())) {
    if (performance.now() > untilMs)
      throw new Error(`the service acknowledged nothing for ${RECOVERY_MS_MAX / 1_000} s`)
    await sleep(LOOK_MS)
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
