// Takes the clock, the timers and the thread pool away from everything in this process and gives them to a simulated
// world. Import it before anything of the service: what the service takes from Node.js at its loading is then virtual.

import { createRequire, syncBuiltinESMExports } from 'node:module'

/** The world that time and timers come from. */
export interface Platform {
  /** The time of day. It may jump. */
  wallMs(): number
  /** Time that only goes forward, a little with every look. */
  steadyMs(): number
  random(): number
  setTimer(callback: () => void, ms: number, isRepeated: boolean): VirtualTimer
}

/** The return value of `setTimeout`. */
export interface VirtualTimer {
  cancel(): void
  ref(): VirtualTimer
  unref(): VirtualTimer
  hasRef(): boolean
}

const require = createRequire(import.meta.url)
const timersPromises = require('node:timers/promises')
const zlib = require('node:zlib')
const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  dateNow: Date.now,
  random: Math.random,
  performanceNow: performance.now.bind(performance),
  threadCpuUsage: process.threadCpuUsage,
  sleep: timersPromises.setTimeout,
  zstdDecompress: zlib.zstdDecompress,
}
let platform: Platform | undefined

type Callback = (...args: unknown[]) => void
type Decompressed = (error: Error | null, bytes?: Buffer) => void

// Once and for all, because modules keep what they have taken; without a world everything is as it was.
zlib.zstdDecompress = (bytes: Uint8Array, options: object, done: Decompressed) => {
  if (!platform) return real.zstdDecompress(bytes, options, done)
  queueMicrotask(() => {
    try {
      done(null, zlib.zstdDecompressSync(bytes, options))
    } catch (error) {
      done(error as Error)
    }
  })
}
timersPromises.setTimeout = (ms = 0, value?: unknown, options?: object) => {
  const world = platform
  if (!world) return real.sleep(ms, value, options)
  return new Promise((resolve) => world.setTimer(() => resolve(value), ms, false))
}
syncBuiltinESMExports()

/** Runs something with the time of a world; nothing else may run in this process meanwhile. */
export async function onPlatform<T>(world: Platform, run: () => Promise<T>): Promise<T> {
  platform = world
  const start = (isRepeated: boolean) =>
    ((callback: Callback, ms = 0, ...args: unknown[]) =>
      world.setTimer(() => callback(...args), ms, isRepeated)) as unknown
  const stop = (timer?: VirtualTimer) => timer?.cancel?.()
  const global = globalThis as unknown as Record<string, unknown>
  global['setTimeout'] = start(false)
  global['setInterval'] = start(true)
  global['clearTimeout'] = stop
  global['clearInterval'] = stop
  Date.now = () => Math.floor(world.wallMs())
  Math.random = () => world.random()
  Object.defineProperty(performance, 'now', { value: () => world.steadyMs(), configurable: true })
  process.threadCpuUsage = () => ({ user: world.steadyMs() * 1_000, system: 0 })
  try {
    return await run()
  } finally {
    platform = undefined
    const { setTimeout, setInterval, clearTimeout, clearInterval } = real
    Object.assign(global, { setTimeout, setInterval, clearTimeout, clearInterval })
    Date.now = real.dateNow
    Math.random = real.random
    Object.defineProperty(performance, 'now', { value: real.performanceNow, configurable: true })
    process.threadCpuUsage = real.threadCpuUsage
  }
}

/** Lets everything that waits for nothing but its turn run to its end. */
export function settle(): Promise<void> {
  return new Promise((resolve) => real.setImmediate(resolve))
}

/** The real time, also while a world has the clock. */
export function realNowMs(): number {
  return real.performanceNow()
}
