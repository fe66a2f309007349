import assert from 'node:assert/strict'
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { call } from './support/call.ts'
import { spawnTestService } from './support/process-in-test.ts'
import { descendantsOf, runningProcesses } from './support/process-list.ts'
import { eventually } from './support/spans.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'

const root = path.dirname(import.meta.dirname)
const execFileText = promisify(execFile)

/** The command that `npm start` runs, without npm in between. */
const START = ['node', path.join(root, 'scripts/run.mjs'), 'start']

/**
 * Processor time of a later start, as a multiple of what an empty script takes in the same run; measured: 35 to 45. The promise
 * is one second on an idle machine.
 */
const RESTART_TIMES_MAX = 80

test('the first start prints the address, where the key is and a curl line that works as printed; a later one keeps the data', async () => {
  const dataDir = temporaryDirectory()
  const first = await spawnTestService({ ASSAY_DATA_DIR: dataDir }, START)
  const keyFile = path.join(dataDir, 'api-key')
  const key = readFileSync(keyFile, 'utf8').trim()
  assert.match(key, /^tl_[\w-]{43}$/)
  assert.ok(!first.output().includes(key), 'a log does not get the key')
  assert.ok(first.output().includes(`API key: in ${keyFile}`), 'a log names the file')
  assert.equal(statSync(keyFile).mode & 0o777, 0o600)
  assert.equal(await runCurlLine(first.output()), '[]')

  const body = { external_id: 'kept', evaluators: ['char-count'] }
  assert.equal((await call(first.url, 'POST', '/v2/auto-monitor-setups', { key, body })).status, 201)
  assert.equal(await first.end('SIGTERM'), 0)

  const second = await spawnTestService({ ASSAY_DATA_DIR: dataDir }, START)
  assert.ok(!second.output().includes(key), 'a later start does not print the key either')
  assert.ok(second.output().includes(keyFile), 'a later start names the key file')
  assert.match(await runCurlLine(second.output()), /"external_id":"kept"/)
  await second.end('SIGTERM')
})

test('a later start needs much less processor time than the first, which compiles everything', {
  skip: process.platform !== 'linux' && 'the processor time of other processes is read from /proc',
}, async () => {
  const env = { ASSAY_DATA_DIR: temporaryDirectory(), NODE_COMPILE_CACHE: temporaryDirectory() }
  const starts: number[] = []
  for (let start = 0; start < 3; start++) {
    const service = await spawnTestService(env, START)
    const { pid = 0 } = service.child
    starts.push(
      [pid, ...descendantsOf(pid).map((child) => child.pid)].reduce((ms, id) => ms + processorMs(id), 0),
    )
    await service.end('SIGTERM')
  }
  const [first = 0, ...later] = starts
  const laterMs = Math.min(...later)
  assert.ok(laterMs < 0.75 * first, `${starts} ms`)
  const emptyMs = Math.min(...[1, 2, 3].map(emptyScriptMs))
  assert.ok(laterMs < RESTART_TIMES_MAX * emptyMs, `${laterMs} ms, and an empty script takes ${emptyMs} ms`)
})

test('the first start shows the key on a terminal, and a later one does not', {
  skip: noTerminal(),
}, async () => {
  const dataDir = temporaryDirectory()
  // `script` gives what it runs a terminal and copies what it prints.
  const onTerminal = [
    'script',
    '-qec',
    `${process.execPath} ${path.join(root, 'scripts/assay.ts')} start`,
    '/dev/null',
  ]
  const first = await spawnTestService({ ASSAY_DATA_DIR: dataDir }, onTerminal)
  const key = readFileSync(path.join(dataDir, 'api-key'), 'utf8').trim()
  await eventually(async () => first.output().includes('Try it:'), 'the banner is complete')
  assert.ok(first.output().includes(`API key: ${key}`))
  await first.end('SIGTERM')
  const second = await eventually(
    () => spawnTestService({ ASSAY_DATA_DIR: dataDir }, onTerminal).catch(() => undefined),
    'the first service is gone',
  )
  await eventually(async () => second.output().includes('Try it:'), 'the banner is complete')
  assert.ok(!second.output().includes(key))
  await second.end('SIGTERM')
})

test('the start stays in one process group', async () => {
  const service = await spawnTestService({ ASSAY_DATA_DIR: temporaryDirectory() }, START)
  const family = descendantsOf(service.child.pid ?? 0)
  assert.ok(family.length > 0, 'the launcher has started the service')
  const launcher = runningProcesses().find(({ pid }) => pid === service.child.pid)
  for (const { pgid } of family) assert.equal(pgid, launcher?.pgid)
  await service.end('SIGTERM')
})

test('a configured key becomes the first one, is not printed, and a different one later is only a warning', async () => {
  const env = { ASSAY_DATA_DIR: temporaryDirectory(), ASSAY_API_KEY: 'my-own-key-of-25-letters!' }
  const first = await spawnTestService(env)
  assert.equal(
    (await call(first.url, 'GET', '/v2/auto-monitor-setups', { key: env.ASSAY_API_KEY })).status,
    200,
  )
  assert.ok(!first.output().includes(env.ASSAY_API_KEY))
  await first.end('SIGTERM')

  const other = 'another-key-of-some-length'
  const second = await spawnTestService({ ...env, ASSAY_API_KEY: other, ASSAY_NO_SUCH_SETTING: '1' })
  assert.match(second.output(), /"level":"warn".*ASSAY_API_KEY is ignored/)
  assert.match(second.output(), /"level":"warn".*ASSAY_NO_SUCH_SETTING is not a setting/)
  assert.equal((await call(second.url, 'GET', '/v2/auto-monitor-setups', { key: other })).status, 401)
  assert.equal(
    (await call(second.url, 'GET', '/v2/auto-monitor-setups', { key: env.ASSAY_API_KEY })).status,
    200,
  )
  await second.end('SIGTERM')
})

test('a bad setting and a taken port end the start with one clear line', async () => {
  await assert.rejects(
    spawnTestService({ PORT: 'http' }),
    /ended with 1:\nassay: PORT must be an integer from 0 to 65535, not "http"\n$/,
  )
  const file = path.join(temporaryDirectory(), 'a-file')
  writeFileSync(file, '')
  await assert.rejects(
    spawnTestService({ ASSAY_DATA_DIR: file }),
    /ended with 1:\nassay: the data directory .*a-file cannot be used: EEXIST/,
  )
  const holder = await spawnTestService({ ASSAY_DATA_DIR: temporaryDirectory() })
  const port = new URL(holder.url).port
  await assert.rejects(
    spawnTestService({ ASSAY_DATA_DIR: temporaryDirectory(), PORT: port }),
    /ended with 1:\nassay: cannot listen: .*EADDRINUSE.*Choose another PORT/,
  )
  await holder.end('SIGTERM')
})

test('a later start names no key file whose key was revoked', async () => {
  const dataDir = temporaryDirectory()
  const first = await spawnTestService({ ASSAY_DATA_DIR: dataDir })
  const key = readFileSync(path.join(dataDir, 'api-key'), 'utf8').trim()
  const { json } = await call(first.url, 'GET', '/v2/api-keys', { key })
  await call(first.url, 'POST', '/v2/api-keys', { key, body: { scopes: ['admin'] } })
  assert.equal((await call(first.url, 'DELETE', `/v2/api-keys/${json.api_keys[0].id}`, { key })).status, 204)
  await first.end('SIGTERM')
  const second = await spawnTestService({ ASSAY_DATA_DIR: dataDir })
  assert.match(second.output(), /API key: one that you have/)
  await second.end('SIGTERM')
})

test('of several first starts at once one runs, and its key is the one in the file', async () => {
  const dataDir = temporaryDirectory()
  const starts = await Promise.allSettled([1, 2, 3].map(() => spawnTestService({ ASSAY_DATA_DIR: dataDir })))
  const [service, ...others] = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  assert.ok(service && others.length === 0, `${others.length + 1} services run`)
  for (const start of starts) {
    if (start.status === 'rejected') assert.match(String(start.reason), /already runs on the data directory/)
  }
  const key = readFileSync(path.join(dataDir, 'api-key'), 'utf8').trim()
  assert.equal((await call(service.url, 'GET', '/v2/auto-monitor-setups', { key })).status, 200)
  await service.end('SIGTERM')
})

test('SIGTERM ends the service also when a request never finishes', async () => {
  const key = 'key-for-the-shutdown-test'
  const env = { ASSAY_DATA_DIR: temporaryDirectory(), ASSAY_API_KEY: key, ASSAY_SHUTDOWN_MS: '200' }
  const service = await spawnTestService(env)
  const request = http.request(`${service.url}/v2/auto-monitor-setups`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', expect: '100-continue' },
  })
  request.on('error', () => {})
  request.flushHeaders()
  await once(request, 'continue')
  assert.equal(await service.end('SIGTERM'), 0)
})

test('SIGTERM lets a request under way finish and refuses new ones', async () => {
  const key = 'key-for-the-shutdown-test'
  const service = await spawnTestService({ ASSAY_DATA_DIR: temporaryDirectory(), ASSAY_API_KEY: key })
  const request = http.request(`${service.url}/v2/auto-monitor-setups`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', expect: '100-continue' },
  })
  request.flushHeaders()
  // The service asks for the body: from here on the request is under way for as long as the body is missing.
  await once(request, 'continue')
  const ended = service.end('SIGTERM')
  await waitUntil(() => service.output().includes('shutting down'))
  // Soon after it has said so, and long before the request under way has its body.
  const isRefused = () =>
    fetch(`${service.url}/healthz`).then(
      () => false,
      () => true,
    )
  await waitUntil(isRefused)
  request.end(JSON.stringify({ external_id: 'a', evaluators: ['char-count'] }))
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  assert.equal(response.statusCode, 201)
  assert.equal(response.headers.connection, 'close')
  response.resume()
  assert.equal(await ended, 0)
})

async function runCurlLine(output: string): Promise<string> {
  const line = output.split('\n').find((text) => text.trim().startsWith('curl ')) ?? ''
  const { stdout } = await execFileText('sh', ['-c', line.trim().replace('curl ', 'curl -s ')], { cwd: root })
  return stdout
}

async function waitUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + 300_000
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error('waited in vain')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Processor time that a process has used, in milliseconds; the kernel counts in hundredths of a second. */
function processorMs(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13)
  return (Number(user) + Number(system)) * 10
}

/** Processor time that Node.js needs to run nothing. */
function emptyScriptMs(): number {
  const script = 'const { user, system } = process.cpuUsage(); console.log((user + system) / 1_000)'
  return Number(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }))
}

/** Why there is no terminal to be had; false when there is one. */
function noTerminal(): string | false {
  const { error, status } = spawnSync('script', ['-qec', 'true', '/dev/null'])
  return error || status !== 0 ? 'the command script of util-linux is not installed' : false
}
