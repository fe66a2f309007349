import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { call } from './support/call.ts'
import { copyOfTree } from './support/copy-of-tree.ts'
import { spawnTestService } from './support/process-in-test.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'

test('the packed package installs in an empty folder, serves, and manages keys', async () => {
  const project = temporaryDirectory()
  const tarball = pack()
  writeFileSync(path.join(project, 'package.json'), '{"private":true}')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', tarball], { cwd: project })
  const shipped = readdirSync(path.join(project, 'node_modules/assay'))
  assert.ok(!shipped.includes('src') && !shipped.includes('tests'), `ships ${shipped}`)

  const assay = path.join(project, 'node_modules/.bin/assay')
  const env = { ASSAY_DATA_DIR: path.join(project, 'data'), ASSAY_API_KEY: 'key-of-the-packed-service' }
  const service = await spawnTestService(env, [assay, 'start'], project)
  const body = { external_id: 'a', evaluators: ['char-count'] }
  assert.equal(
    (await call(service.url, 'POST', '/v2/auto-monitor-setups', { key: env.ASSAY_API_KEY, body })).status,
    201,
  )
  assert.equal((await call(service.url, 'GET', '/docs', { key: null })).status, 200)
  const page = await call(service.url, 'GET', '/', { key: null })
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page.text)?.[1]
  assert.ok(script, `the page of the dashboard: ${page.text}`)
  assert.equal((await call(service.url, 'GET', script, { key: null })).status, 200)
  // In a thread: the packed build has to find its modules too.
  const sql = { key: env.ASSAY_API_KEY, body: { input: { text: 'SELECT 1' } } }
  const executed = await call(service.url, 'POST', '/v2/evaluators/sql-validator/execute', sql)
  assert.deepEqual(executed.json, { is_valid_sql: true })
  // From a model that is part of the package.
  const prompt = { key: env.ASSAY_API_KEY, body: { input: { prompt: 'What is the capital of Norway?' } } }
  const measured = await call(service.url, 'POST', '/v2/evaluators/prompt-perplexity/execute', prompt)
  assert.ok(measured.json.perplexity_score > 1, measured.text)
  const detected = await call(service.url, 'POST', '/v2/evaluators/prompt-injection/execute', prompt)
  assert.deepEqual(detected.json, { has_injection: false })
  const long = { key: env.ASSAY_API_KEY, body: { input: { prompt: 'a'.repeat(51_201) } } }
  const refused = await call(service.url, 'POST', '/v2/evaluators/prompt-injection/execute', long)
  assert.equal(refused.status, 413, refused.text)

  // The command line works on the store of the running service, and what it makes and ends counts at once.
  // Waiting here without looking would miss that the service closes an idle connection, and the next call would use it.
  const run = async (...args: string[]) => {
    const options = { cwd: project, env: { ...process.env, ...env } }
    return (await promisify(execFile)(assay, args, options)).stdout
  }
  const made = (await run('keys', 'create', '--scopes', 'read', '--name', 'reader')).trim()
  const readWith = async (key: string) =>
    (await call(service.url, 'GET', '/v2/auto-monitor-setups', { key })).status
  assert.equal(await readWith(made), 200)
  const listed = await run('keys', 'list')
  assert.ok(!listed.includes(made))
  const id =
    listed
      .split('\n')
      .find((line) => line.includes('reader'))
      ?.split(' ')[0] ?? ''
  await run('keys', 'revoke', id)
  assert.equal(await readWith(made), 401)
  await service.end('SIGTERM')
  const table = await run('crashtest', '--kills', '1', '--stop-seconds', '1', '--sockets', '2')
  assert.match(table, /\| kill -9 under load \| 1 round \| \d+ \| 0 \| 0 \| 0 \| 0 \|/)
})

function pack(): string {
  const directory = copyOfTree()
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: directory })
  const output = execFileSync('npm', ['pack', '--ignore-scripts', '--json'], {
    cwd: directory,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return path.join(directory, JSON.parse(output)[0].filename)
}
